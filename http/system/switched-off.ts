/** Routes of features that this version does not have yet: 501 `feature_disabled`, with the setting that will switch them on. */
import type { SettingKey } from '../../config/catalogue.ts'
import { open } from '../access.ts'
import { ApiError } from '../error.ts'
import { type Method, type Route, route } from '../route.ts'

interface Feature {
  readonly name: string
  /** Absent: no setting concerns it. */
  readonly setting?: SettingKey
  readonly routes: readonly `${Method} /${string}`[]
}

const features: readonly Feature[] = [
  {
    name: 'Signing in by SAML',
    setting: 'SERVICE_SAML_ENABLED',
    routes: ['GET /saml/metadata', 'POST /saml/acs', 'GET /saml/login'],
  },
  {
    name: 'Provisioning by SCIM',
    routes: [
      'POST /v1/admin/scim/token',
      'GET /scim/v2/Users',
      'POST /scim/v2/Users',
      'GET /scim/v2/Users/:id',
      'PUT /scim/v2/Users/:id',
      'PATCH /scim/v2/Users/:id',
      'DELETE /scim/v2/Users/:id',
    ],
  },
  {
    name: 'Conversations of the Responses API',
    routes: [
      'POST /v1/conversations',
      'GET /v1/conversations/:id',
      'POST /v1/conversations/:id',
      'DELETE /v1/conversations/:id',
      'GET /v1/conversations/:id/items',
      'POST /v1/conversations/:id/items',
      'GET /v1/conversations/:id/items/:item_id',
      'DELETE /v1/conversations/:id/items/:item_id',
    ],
  },
  { name: 'The OAuth token endpoint', setting: 'SERVICE_OIDC_ISSUER', routes: ['POST /v1/oauth/token'] },
  { name: 'Pairing of devices', routes: ['POST /v1/pairing/redeem', 'POST /v1/pairing/device/validate'] },
  { name: 'The MCP server', setting: 'SERVICE_MCP_PUBLISH', routes: ['POST /v1/mcp'] },
  {
    name: 'The agent-to-agent server',
    setting: 'SERVICE_A2A_PUBLISH',
    routes: ['GET /.well-known/agent.json', 'POST /a2a/message'],
  },
]

/** For anybody: that a feature is off is no secret. No body is read, and the OpenAPI document leaves them out. */
export const switchedOff: readonly Route[] = features.flatMap(({ name, setting, routes }) =>
  routes.map((line) => {
    const [method, path] = line.split(' ') as [Method, string]
    const message = `${name}: this version of the service does not have this feature.`
    return route({
      method,
      path,
      summary: message,
      tag: 'off',
      access: open,
      answers: {},
      handle() {
        throw new ApiError('feature_disabled', message, { param: setting })
      },
    })
  }),
)
