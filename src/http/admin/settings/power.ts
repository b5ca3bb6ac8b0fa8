/** Who may change which settings: they are the installation's, and some of them are as much as the machine it runs on. */
import type { SettingKey } from '../../../config/catalogue.ts'
import type { Principal } from '../../access.ts'
import type { App } from '../../app.ts'
import { ApiError } from '../../error.ts'
import { defaultWorkspace } from '../auth/default-workspace.ts'
import type { Refusal } from './wanted.ts'

/** With these one runs commands, reads files, gets into other workspaces, or weakens what holds others back. */
const ownersOnly: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'SERVICE_AUDIT_RETENTION_DAYS',
  'SERVICE_AIRGAPPED',
  'SERVICE_CODE_EXEC',
  'SERVICE_CODE_EXEC_ALLOW_HOST',
  'SERVICE_CODE_EXEC_INTERPRETERS',
  'SERVICE_CODE_EXEC_SANDBOX_IMAGE',
  'SERVICE_COMPAT_KEY',
  'SERVICE_COMPAT_WORKSPACE',
  'SERVICE_CORS_ORIGINS',
  'SERVICE_CSP',
  'SERVICE_DB_QUERY_DSN',
  'SERVICE_DEFAULT_WORKSPACE_ID',
  'SERVICE_FS_ROOT',
  'SERVICE_HTTP_ALLOWLIST',
  'SERVICE_HTTP_AUTH_JSON',
  'SERVICE_LDAP_DEFAULT_ROLE',
  'SERVICE_LDAP_ROLE_MAPPINGS',
  'SERVICE_LDAP_URL',
  'SERVICE_MCP_EXPORT_TOOLS',
  'SERVICE_MCP_PUBLISH',
  'SERVICE_MCP_SERVERS',
  'SERVICE_OIDC_AUDIENCE',
  'SERVICE_OIDC_ISSUER',
  'SERVICE_OIDC_JWKS_URL',
  'SERVICE_OIDC_TENANT_CLAIM',
  'SERVICE_SAML_DEFAULT_ROLE',
  'SERVICE_SAML_IDP_METADATA',
  'SERVICE_SAML_ROLE_MAPPINGS',
  'SERVICE_TRUSTED_PROXIES',
  'SERVICE_WEBFETCH_ALLOWLIST',
  'SERVICE_WEBUI_ORIGIN',
])

/** @throws ApiError 403 for whoever holds their role in another workspace than the installation's own */
export function refuseFromElsewhere(app: App, principal: Principal): void {
  if (principal.workspaceId === defaultWorkspace(app)) return
  const message = 'Settings are the installation’s: they are changed by who holds the role in its default workspace.'
  throw new ApiError(403, 'permission_error', 'installation_only', message)
}

/** A key with every scope counts as an owner. */
export function refusedToNonOwners(principal: Principal, keys: Iterable<SettingKey>): Refusal[] {
  const isOwner = principal.operator ? principal.operator.role === 'owner' : principal.scopes.has('*')
  if (isOwner) return []
  return [...keys].filter((key) => ownersOnly.has(key)).map((key) => ({ key, message: 'Only an owner changes this.' }))
}
