/** Groups Agent, Agent: reasoning and Agent: system prompt. */
import { bool, duration, int, list, text, timeZone } from '../setting.ts'

export const agent = {
  SERVICE_APPROVAL_TOOLS: list('', {
    apply: 'restart',
    help: 'Tools that wait for an operator before they run; blank: none.',
  }),
  SERVICE_SUBAGENT_MAX_DEPTH: int(
    2,
    { min: 0, max: 16 },
    { whose: 'admin', apply: 'restart', help: 'How deep sub-agents may nest.' },
  ),
  SERVICE_SUBAGENT_TIMEOUT_SEC: int(
    180,
    { min: 1, max: 86_400 },
    { whose: 'admin', apply: 'restart', help: 'Seconds that one sub-agent may run.' },
  ),
  SERVICE_TOOL_SEARCH: bool(false, {
    whose: 'admin',
    apply: 'live',
    help: 'Advertise core tools and a search tool only; the rest is found on demand.',
  }),
  SERVICE_TOOL_SEARCH_CORE: list('', {
    whose: 'admin',
    apply: 'live',
    help: 'Tools that are advertised always, also with tool search on.',
  }),
  SERVICE_TOOL_SEARCH_THRESHOLD: int(
    12,
    { min: 0, max: 10_000 },
    { whose: 'admin', apply: 'live', help: 'Tool search starts above this many tools.' },
  ),
  SERVICE_AGENT_STEPS_MAX: int(
    16,
    { min: 1, max: 1_000 },
    { whose: 'admin', apply: 'live', help: 'Model calls of one tool loop; the last one gets no tools.' },
  ),
  SERVICE_AGENT_TOKENS_MAX: int(
    1_000_000,
    { min: 0, max: 1_000_000_000 },
    {
      whose: 'admin',
      apply: 'live',
      help: 'Tokens that one turn may use, sub-agents and candidates included; 0: no limit.',
    },
  ),
  SERVICE_AGENT_TIMEOUT_S: int(
    900,
    { min: 0, max: 86_400 },
    {
      whose: 'admin',
      apply: 'live',
      help: 'Seconds that one turn may work, waiting for approvals left out; 0: no limit.',
    },
  ),
  SERVICE_AGENT_CONTEXT_TOKENS: int(
    100_000,
    { min: 500, max: 10_000_000 },
    {
      whose: 'admin',
      apply: 'live',
      help: 'Tokens of a conversation that the model is told; older messages become a summary.',
    },
  ),
  SERVICE_AGENT_RESULT_CHARS: int(
    16_000,
    { min: 500, max: 1_000_000 },
    {
      whose: 'admin',
      apply: 'live',
      help: 'Characters of one tool result that the model is told; the rest it can ask for.',
    },
  ),
  SERVICE_APPROVAL_EXPIRY: duration('24h', {
    whose: 'admin',
    apply: 'live',
    help: 'An approval that nobody gives in this time counts as refused.',
  }),
}

export const reasoning = {
  SERVICE_AGENT_BEST_OF_N: int(
    0,
    { min: 0, max: 32 },
    { whose: 'admin', apply: 'live', help: 'From 2 on: so many candidates, and a judge that picks one.' },
  ),
  SERVICE_AGENT_DEBATE_N: int(
    0,
    { min: 0, max: 32 },
    { whose: 'admin', apply: 'live', help: 'From 2 on: a debate of so many candidates, and a judge.' },
  ),
  SERVICE_AGENT_DEBATE_ROUNDS: int(
    1,
    { min: 1, max: 16 },
    { whose: 'admin', apply: 'restart', help: 'Rounds of a debate.' },
  ),
  SERVICE_AGENT_DEBATE_PROMPT: text('', {
    whose: 'admin',
    apply: 'restart',
    help: 'Prompt of a debate’s candidates; blank: built in.',
  }),
  SERVICE_AGENT_DEBATE_JUDGE_PROMPT: text('', {
    whose: 'admin',
    apply: 'restart',
    help: 'Prompt of a debate’s judge; blank: built in.',
  }),
  SERVICE_AGENT_JUDGE_PROMPT: text('', {
    whose: 'admin',
    apply: 'restart',
    help: 'Prompt of the best-of-N judge; blank: built in.',
  }),
  SERVICE_AGENT_PLAN_STEPS: int(
    0,
    { min: 0, max: 64 },
    { whose: 'admin', apply: 'live', help: 'Above 0: plan, execute and combine, with at most so many steps.' },
  ),
  SERVICE_AGENT_PLAN_STEP_ITERS: int(
    0,
    { min: 0, max: 64 },
    { whose: 'admin', apply: 'live', help: 'Tool rounds of one plan step; 0: 4.' },
  ),
  SERVICE_AGENT_PLAN_PROMPT: text('', {
    whose: 'admin',
    apply: 'restart',
    help: 'Prompt of the planner; blank: built in.',
  }),
  SERVICE_AGENT_REFLECT: bool(false, {
    whose: 'admin',
    apply: 'live',
    help: 'The agent criticises its answer before it gives it.',
  }),
  SERVICE_AGENT_REFLECT_PROMPT: text('', {
    whose: 'admin',
    apply: 'restart',
    help: 'Prompt of that self-criticism; blank: built in.',
  }),
  SERVICE_AGENT_SELF_HEAL: int(
    0,
    { min: 0, max: 16 },
    { whose: 'admin', apply: 'live', help: 'Tries again for a failed tool call, with a hint; 0: none.' },
  ),
}

export const systemPrompt = {
  SERVICE_LOCALE: text(
    'ru-RU',
    { whose: 'admin', apply: 'live', help: 'Language of replies where persona and instructions name none.' },
    35,
  ),
  SERVICE_TIMEZONE: timeZone('UTC', {
    whose: 'admin',
    apply: 'live',
    help: 'Time zone of the date that the model is told.',
  }),
}
