/** Group Integrations: what other agents and MCP clients may use. */
import { bool, list, offUnlessOne, unused } from '../setting.ts'

export const integrations = unused({
  SERVICE_A2A_PUBLISH: bool(false, {
    apply: 'restart',
    help: {
      en: 'Publish the agent to other agents (agent card, POST /a2a/message).',
      ru: 'Открыть агента другим агентам (карточка агента, POST /a2a/message).',
    },
  }),
  SERVICE_MCP_PUBLISH: offUnlessOne({
    apply: 'restart',
    source: 'store',
    help: {
      en: '1: publish tools as an MCP server at POST /v1/mcp.',
      ru: '1: открыть инструменты как сервер MCP по адресу POST /v1/mcp.',
    },
  }),
  SERVICE_MCP_EXPORT_TOOLS: list('', {
    apply: 'restart',
    source: 'store',
    help: {
      en: 'Names of the tools that MCP clients may call; blank: none.',
      ru: 'Имена инструментов, доступных клиентам MCP; пусто: ни одного.',
    },
  }),
})
