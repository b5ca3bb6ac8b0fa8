/** Groups Agent, Agent: reasoning and Agent: system prompt. */
import { bool, duration, int, list, text, timeZone } from '../setting.ts'

export const agent = {
  SERVICE_APPROVAL_TOOLS: list('', {
    apply: 'restart',
    help: {
      en: 'Tools that wait for an operator before they run; blank: none.',
      ru: 'Инструменты, которые ждут решения оператора; пусто: таких нет.',
    },
  }),
  SERVICE_SUBAGENT_MAX_DEPTH: int(
    2,
    { min: 0, max: 16 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: { en: 'How deep sub-agents may nest.', ru: 'Насколько глубоко могут вкладываться субагенты.' },
    },
  ),
  SERVICE_SUBAGENT_TIMEOUT_SEC: int(
    180,
    { min: 1, max: 86_400 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: { en: 'Seconds that one sub-agent may run.', ru: 'Сколько секунд может работать один субагент.' },
    },
  ),
  SERVICE_TOOL_SEARCH: bool(false, {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'Advertise core tools and a search tool only; the rest is found on demand.',
      ru: 'Модели показаны только основные инструменты и поиск; остальные находятся по запросу.',
    },
  }),
  SERVICE_TOOL_SEARCH_CORE: list('', {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'Tools that are advertised always, also with tool search on.',
      ru: 'Инструменты, которые показаны всегда, и при включённом поиске.',
    },
  }),
  SERVICE_TOOL_SEARCH_THRESHOLD: int(
    12,
    { min: 0, max: 10_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Tool search starts above this many tools.',
        ru: 'Поиск инструментов включается, когда их больше этого числа.',
      },
    },
  ),
  SERVICE_AGENT_STEPS_MAX: int(
    16,
    { min: 1, max: 1_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Model calls of one tool loop; the last one gets no tools.',
        ru: 'Вызовов модели в одном цикле; в последнем инструментов уже нет.',
      },
    },
  ),
  SERVICE_AGENT_TOKENS_MAX: int(
    1_000_000,
    { min: 0, max: 1_000_000_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Tokens that one turn may use, sub-agents and candidates included; 0: no limit.',
        ru: 'Токенов на один ответ вместе с субагентами и кандидатами; 0: без предела.',
      },
    },
  ),
  SERVICE_AGENT_TIMEOUT_S: int(
    900,
    { min: 0, max: 86_400 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Seconds that one turn may work, waits for approvals not counted; 0: no limit.',
        ru: 'Секунд работы над одним ответом, без ожидания решений; 0: без предела.',
      },
    },
  ),
  SERVICE_AGENT_CONTEXT_TOKENS: int(
    100_000,
    { min: 500, max: 10_000_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Tokens of a conversation that go to the model; older messages become a summary.',
        ru: 'Сколько токенов разговора видит модель; старое сворачивается в краткое изложение.',
      },
    },
  ),
  SERVICE_AGENT_RESULT_CHARS: int(
    16_000,
    { min: 500, max: 1_000_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Characters of one tool result that go to the model; it can ask for the rest.',
        ru: 'Сколько знаков результата инструмента видит модель; остальное она может запросить.',
      },
    },
  ),
  SERVICE_APPROVAL_EXPIRY: duration('24h', {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'An approval without a decision after this time counts as refused.',
      ru: 'Решение, не принятое за это время, считается отказом.',
    },
  }),
}

export const reasoning = {
  SERVICE_AGENT_BEST_OF_N: int(
    0,
    { min: 0, max: 32 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: '2 or more: this many candidates, and a judge that picks one.',
        ru: 'С 2: столько кандидатов и судья, который выбирает.',
      },
    },
  ),
  SERVICE_AGENT_DEBATE_N: int(
    0,
    { min: 0, max: 32 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: '2 or more: a debate of this many candidates, with a judge.',
        ru: 'С 2: спор стольких кандидатов и судья.',
      },
    },
  ),
  SERVICE_AGENT_DEBATE_ROUNDS: int(
    1,
    { min: 1, max: 16 },
    { changedBy: 'admin', apply: 'restart', help: { en: 'Rounds of a debate.', ru: 'Число кругов спора.' } },
  ),
  SERVICE_AGENT_DEBATE_PROMPT: text('', {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'Prompt of a debate’s candidates; blank: built in.',
      ru: 'Промпт участников спора; пусто: встроенный.',
    },
  }),
  SERVICE_AGENT_DEBATE_JUDGE_PROMPT: text('', {
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Prompt of a debate’s judge; blank: built in.', ru: 'Промпт судьи спора; пусто: встроенный.' },
  }),
  SERVICE_AGENT_JUDGE_PROMPT: text('', {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'Prompt of the best-of-N judge; blank: built in.',
      ru: 'Промпт судьи лучшего из N; пусто: встроенный.',
    },
  }),
  SERVICE_AGENT_PLAN_STEPS: int(
    0,
    { min: 0, max: 64 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Above 0: plan, execute and combine, with at most this many steps.',
        ru: 'Больше 0: план, выполнение и сведение, не больше стольких шагов.',
      },
    },
  ),
  SERVICE_AGENT_PLAN_STEP_ITERS: int(
    0,
    { min: 0, max: 64 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: { en: 'Tool rounds of one plan step; 0: 4.', ru: 'Кругов с инструментами на шаг плана; 0: четыре.' },
    },
  ),
  SERVICE_AGENT_PLAN_PROMPT: text('', {
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Prompt of the planner; blank: built in.', ru: 'Промпт планировщика; пусто: встроенный.' },
  }),
  SERVICE_AGENT_REFLECT: bool(false, {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'The agent criticises its answer before it is sent.',
      ru: 'Агент проверяет свой ответ, прежде чем его дать.',
    },
  }),
  SERVICE_AGENT_REFLECT_PROMPT: text('', {
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Prompt of that self-criticism; blank: built in.', ru: 'Промпт этой проверки; пусто: встроенный.' },
  }),
  SERVICE_AGENT_SELF_HEAL: int(
    0,
    { min: 0, max: 16 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Retries of a failed tool call, with a hint; 0: none.',
        ru: 'Сколько раз повторить неудачный вызов инструмента с подсказкой; 0: ни разу.',
      },
    },
  ),
}

export const systemPrompt = {
  SERVICE_LOCALE: text(
    'ru-RU',
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Language of replies where persona and instructions name none.',
        ru: 'Язык ответов, если персона и инструкции не называют другого.',
      },
    },
    35,
  ),
  SERVICE_TIMEZONE: timeZone('UTC', {
    changedBy: 'admin',
    apply: 'live',
    help: { en: 'Time zone of the date in the prompt.', ru: 'Часовой пояс даты, которую видит модель.' },
  }),
}
