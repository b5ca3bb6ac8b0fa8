/** Groups Security and Tools: what may be reached, and by whom. */
import { z } from 'zod'
import { serverTargets } from '../database-url.ts'
import { bool, cidrs, databaseUrl, int, json, list, ownSecret, pattern, text } from '../setting.ts'
import { workspaceId, workspaceIdAllowed } from '../workspace-id.ts'

export const security = {
  SERVICE_AIRGAPPED: bool(false, {
    apply: 'restart',
    help: {
      en: 'Models and their tools reach internal or allowlisted hosts only.',
      ru: 'Модели и их инструменты обращаются только к внутренним и разрешённым узлам.',
    },
  }),
  SERVICE_AUDIT_RETENTION_DAYS: int(
    0,
    { min: 0, max: 36_500 },
    {
      apply: 'restart',
      help: {
        en: 'Days that the audit log is kept; 0: for ever.',
        ru: 'Сколько дней хранится журнал аудита; 0: всегда.',
      },
    },
  ),
  SERVICE_CODE_EXEC_ALLOW_HOST: bool(false, {
    apply: 'restart',
    help: { en: 'Code may run on the host without a sandbox.', ru: 'Код может выполняться на машине без песочницы.' },
  }),
  SERVICE_CORS_ORIGINS: list('', {
    apply: 'restart',
    help: {
      en: 'Origins that browsers may call from; blank: same origin only.',
      ru: 'Источники, с которых могут обращаться браузеры; пусто: только свой.',
    },
  }),
  SERVICE_CSP: pattern(
    /^[\x20-\x7e]{1,4000}$/,
    'a content-security-policy of at most 4000 ASCII characters on one line',
    {
      apply: 'restart',
      help: {
        en: 'Content-Security-Policy; blank: a safe default.',
        ru: 'Content-Security-Policy; пусто: безопасная по умолчанию.',
      },
    },
  ),
  SERVICE_INBOUND_SECRET: ownSecret({
    apply: 'restart',
    help: {
      en: 'Secret shared with connectors, 32 characters at least; blank: the inbound endpoint is open.',
      ru: 'Общий с соединителями секрет, не короче 32 знаков; пусто: вход для сообщений открыт.',
    },
  }),
  SERVICE_COMPAT_KEY: ownSecret({
    apply: 'restart',
    help: {
      en: 'A fixed API key for chat clients, 32 characters at least; blank: none.',
      ru: 'Постоянный ключ API для чат-клиентов, не короче 32 знаков; пусто: нет.',
    },
  }),
  SERVICE_COMPAT_WORKSPACE: pattern(workspaceId, workspaceIdAllowed, {
    apply: 'restart',
    help: {
      en: 'Workspace of the fixed key; blank: the default workspace.',
      ru: 'Рабочее пространство постоянного ключа; пусто: основное.',
    },
  }),
  SERVICE_REQUIRE_2FA: bool(false, {
    apply: 'immediate',
    help: {
      en: 'Operators are asked to set up a second factor at login.',
      ru: 'При входе операторам предлагается завести второй фактор.',
    },
  }),
  SERVICE_REQUIRE_SECURE: bool(false, {
    apply: 'restart',
    help: {
      en: 'Plain HTTP is redirected or refused; localhost is allowed.',
      ru: 'Обычный HTTP перенаправляется или отклоняется; localhost разрешён.',
    },
  }),
  SERVICE_SESSION_IDLE_MINUTES: int(
    720,
    { min: 5, max: 43_200 },
    {
      apply: 'live',
      help: {
        en: 'Minutes after which an unused session of an operator ends.',
        ru: 'Через сколько минут заканчивается неиспользуемый сеанс оператора.',
      },
    },
  ),
  SERVICE_SESSION_HOURS_MAX: int(
    168,
    { min: 1, max: 8_760 },
    {
      apply: 'live',
      help: {
        en: 'Hours after which an operator must sign in again, used or not.',
        ru: 'Через сколько часов оператор входит снова в любом случае.',
      },
    },
  ),
  SERVICE_TRUSTED_PROXIES: cidrs({
    apply: 'live',
    help: {
      en: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted; blank: none.',
      ru: 'Прокси, которым верят в X-Forwarded-For и X-Forwarded-Proto; пусто: никаким.',
    },
  }),
}

const AuthHeaders = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
/** By name, or a list; the tools room checks the rest. */
const McpServers = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
const Paths = z.record(z.string(), z.string())

export const tools = {
  SERVICE_CODE_EXEC: bool(false, {
    apply: 'restart',
    help: { en: 'The code_exec tool.', ru: 'Инструмент code_exec.' },
  }),
  SERVICE_CODE_EXEC_SANDBOX_IMAGE: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Container image that code runs in; blank: JavaScript runs in WebAssembly, other languages only where SERVICE_CODE_EXEC_ALLOW_HOST is set.',
        ru: 'Образ контейнера для кода; пусто: JavaScript идёт в WebAssembly, другие языки — только при SERVICE_CODE_EXEC_ALLOW_HOST.',
      },
    },
    512,
  ),
  SERVICE_CODE_EXEC_INTERPRETERS: json(Paths, {}, 'an object of language to path', {
    apply: 'restart',
    help: { en: 'Interpreters by language; blank: detected.', ru: 'Интерпретаторы по языкам; пусто: находятся сами.' },
  }),
  SERVICE_DB_QUERY_DSN: databaseUrl({
    targets: serverTargets,
    apply: 'restart',
    help: {
      en: 'Read-only database of db_query; blank: the tool is off.',
      ru: 'База для чтения инструментом db_query; пусто: инструмент выключен.',
    },
  }),
  SERVICE_FS_ROOT: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Folder that file tools are confined to; blank: they are off.',
        ru: 'Папка, за которую файловые инструменты не выходят; пусто: они выключены.',
      },
    },
    4_096,
  ),
  SERVICE_OUTGOING_ALLOWLIST: list('', {
    apply: 'live',
    help: {
      en: 'Hosts, host:port and networks (10.0.0.0/8) of the internal network that channels may connect to; without it none.',
      ru: 'Узлы, узел:порт и сети (10.0.0.0/8) внутренней сети, к которым могут подключаться каналы; пусто: никакие.',
    },
  }),
  SERVICE_HTTP_ALLOWLIST: list('', {
    apply: 'restart',
    help: {
      en: 'Hosts that http_request may call; blank: all but internal ones.',
      ru: 'Узлы, доступные http_request; пусто: все, кроме внутренних.',
    },
  }),
  SERVICE_HTTP_AUTH_JSON: {
    ...json(AuthHeaders, {}, 'an object of host to headers', {
      apply: 'restart',
      help: { en: 'Authorization of http_request by host.', ru: 'Авторизация http_request по узлам.' },
    }),
    isSecret: true,
  },
  SERVICE_WEBFETCH_ALLOWLIST: list('', {
    apply: 'restart',
    help: {
      en: 'Domains that web_fetch may call; blank: all but internal ones.',
      ru: 'Домены, доступные web_fetch; пусто: все, кроме внутренних.',
    },
  }),
  SERVICE_MCP_SERVERS: {
    ...json(McpServers, {}, 'a description of MCP servers', {
      apply: 'restart',
      help: {
        en: 'External MCP servers whose tools join the agent.',
        ru: 'Внешние серверы MCP, чьи инструменты получает агент.',
      },
    }),
    isSecret: true,
  },
}
