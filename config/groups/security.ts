/** Groups Security and Tools: what may be reached, and by whom. */
import { z } from 'zod'
import { bool, cidrs, int, json, list, pattern, secret, secretUrl, text } from '../setting.ts'
import { workspaceId, workspaceIdAllowed } from '../workspace-id.ts'

export const security = {
  SERVICE_AIRGAPPED: bool(false, {
    apply: 'restart',
    help: 'Models and their tools reach internal or allowlisted hosts only.',
  }),
  SERVICE_AUDIT_RETENTION_DAYS: int(
    0,
    { min: 0, max: 36_500 },
    { apply: 'restart', help: 'Days that the audit log is kept; 0: for ever.' },
  ),
  SERVICE_CODE_EXEC_ALLOW_HOST: bool(false, { apply: 'restart', help: 'Code may run on the host without a sandbox.' }),
  SERVICE_CORS_ORIGINS: list('', {
    apply: 'restart',
    help: 'Origins that browsers may call from; blank: same origin only.',
  }),
  SERVICE_CSP: pattern(
    /^[\x20-\x7e]{1,4000}$/,
    'a content-security-policy of at most 4000 ASCII characters on one line',
    {
      apply: 'restart',
      help: 'Content-Security-Policy; blank: a safe default.',
    },
  ),
  SERVICE_INBOUND_SECRET: secret({
    apply: 'restart',
    help: 'Secret shared with connectors; blank: the inbound endpoint is open.',
  }),
  SERVICE_COMPAT_KEY: secret({ apply: 'restart', help: 'A fixed API key for chat clients; blank: none.' }),
  SERVICE_COMPAT_WORKSPACE: pattern(workspaceId, workspaceIdAllowed, {
    apply: 'restart',
    help: 'Workspace of the fixed key; blank: the default workspace.',
  }),
  SERVICE_REQUIRE_2FA: bool(false, {
    apply: 'immediate',
    help: 'Operators are asked to set up a second factor at login.',
  }),
  SERVICE_REQUIRE_SECURE: bool(false, {
    apply: 'restart',
    help: 'Plain HTTP is redirected or refused; localhost is allowed.',
  }),
  SERVICE_SESSION_IDLE_MINUTES: int(
    720,
    { min: 5, max: 43_200 },
    { apply: 'live', help: 'Minutes after which an operator’s unused session has ended.' },
  ),
  SERVICE_SESSION_HOURS_MAX: int(
    168,
    { min: 1, max: 8_760 },
    { apply: 'live', help: 'Hours after which an operator signs in again, whatever was used.' },
  ),
  SERVICE_TRUSTED_PROXIES: cidrs({
    apply: 'live',
    help: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto count; blank: nobody’s.',
  }),
}

const AuthHeaders = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
/** By name, or a list; read closely by the room that uses it. */
const McpServers = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
const Paths = z.record(z.string(), z.string())

export const tools = {
  SERVICE_CODE_EXEC: bool(false, { apply: 'restart', help: 'The code_exec tool.' }),
  SERVICE_CODE_EXEC_SANDBOX_IMAGE: text(
    '',
    {
      apply: 'restart',
      help: 'Container image that code runs in; blank: JavaScript runs in WebAssembly, other languages only where SERVICE_CODE_EXEC_ALLOW_HOST is set.',
    },
    512,
  ),
  SERVICE_CODE_EXEC_INTERPRETERS: json(Paths, {}, 'an object of language to path', {
    apply: 'restart',
    help: 'Interpreters by language; blank: found out.',
  }),
  SERVICE_DB_QUERY_DSN: secretUrl(
    { apply: 'restart', help: 'Read-only database of db_query; blank: the tool is off.' },
    ['postgres:', 'postgresql:'],
  ),
  SERVICE_FS_ROOT: text(
    '',
    { apply: 'restart', help: 'Folder that file tools are confined to; blank: they are off.' },
    4_096,
  ),
  SERVICE_HTTP_ALLOWLIST: list('', {
    apply: 'restart',
    help: 'Hosts that http_request may call; blank: all but internal ones.',
  }),
  SERVICE_HTTP_AUTH_JSON: {
    ...json(AuthHeaders, {}, 'an object of host to headers', {
      apply: 'restart',
      help: 'Authorization of http_request by host.',
    }),
    isSecret: true,
  },
  SERVICE_WEBFETCH_ALLOWLIST: list('', {
    apply: 'restart',
    help: 'Domains that web_fetch may call; blank: all but internal ones.',
  }),
  SERVICE_MCP_SERVERS: {
    ...json(McpServers, {}, 'a description of MCP servers', {
      apply: 'restart',
      help: 'External MCP servers whose tools join the agent.',
    }),
    isSecret: true,
  },
}
