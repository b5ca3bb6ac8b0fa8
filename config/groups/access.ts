/** Groups API, Channels, Integrations, Moderation, Public access and Web UI: who reaches the service, and by what way. */
import { bool, choice, int, list, listenAddress, onlyOne, onUnlessOff, text, url } from '../setting.ts'

export const api = {
  SERVICE_PERSONAL_API_KEYS: onUnlessOff({
    apply: 'restart',
    help: 'off: personal keys may not use the chat endpoint.',
  }),
}

export const channels = {
  SERVICE_CONFIDENTIAL_PERSONA: bool(false, {
    whose: 'admin',
    apply: 'restart',
    help: 'The web-chat agent neither discloses nor keeps persona details.',
  }),
  SERVICE_INBOUND_REQUIRE_BINDING: choice(['true', 'false'], 'true', {
    apply: 'live',
    help: 'true: senders that are no provisioned users with a role are ignored.',
  }),
}

export const integrations = {
  SERVICE_A2A_PUBLISH: bool(false, {
    apply: 'restart',
    help: 'Publish the agent to other agents (agent card, POST /a2a/message).',
  }),
  SERVICE_MCP_PUBLISH: onlyOne({
    apply: 'restart',
    source: 'store',
    help: '1: publish tools as an MCP server at POST /v1/mcp.',
  }),
  SERVICE_MCP_EXPORT_TOOLS: list('', {
    apply: 'restart',
    source: 'store',
    help: 'Names of the tools that MCP clients may call; blank: none.',
  }),
}

export const moderation = {
  SERVICE_MODERATION: onUnlessOff({ apply: 'restart', help: 'off: no guard against jailbreaks and prompt injection.' }),
  SERVICE_MODERATION_REFUSAL: text(
    '',
    { whose: 'admin', apply: 'restart', help: 'What a blocked request is told; blank: built in.' },
    4_000,
  ),
}

export const publicAccess = {
  SERVICE_PUBLIC_URL: url({ apply: 'restart', help: 'The address under which the outside reaches the gateway.' }),
  REMOTE_AGENT_GATEWAY_BASE_URL: url({
    apply: 'restart',
    help: 'The address under which remote agents reach their gateway.',
  }),
  REMOTE_AGENT_PORT: int(
    8080,
    { min: 1, max: 65_535 },
    { apply: 'restart', help: 'Port of the remote-agent gateway.' },
  ),
  CHATAPP_PUBLIC_URL: url({ apply: 'restart', help: 'The address of the messenger’s webhooks; blank: polling.' }),
  SERVICE_CHATAPP_CONNECTOR_PORT: int(
    8091,
    { min: 1, max: 65_535 },
    { apply: 'restart', help: 'Port of the messenger connector.' },
  ),
}

export const webUi = {
  SERVICE_WEBUI_ENABLED: bool(true, { apply: 'restart', help: 'Serve the admin UI on a listener of its own.' }),
  SERVICE_WEBUI_ADDR: listenAddress(':8781', { apply: 'restart', help: 'Where the admin UI listens.' }),
  SERVICE_WEBUI_API_BASE: url({
    apply: 'restart',
    help: 'Origin that the UI calls; blank: the public URL, then the gateway’s own address.',
  }),
  SERVICE_WEBUI_ORIGIN: url({
    apply: 'restart',
    help: 'Origin of the UI in browsers, allowed by CORS; blank: from its address.',
  }),
}
