/** Settings that leave something open, perhaps without intent. */
import type { Settings } from '../../config/settings.ts'
import { type Finding, ok, warning } from './finding.ts'

export function checkSecurity(settings: Settings): Finding[] {
  const findings: Finding[] = []
  if (settings.get('SERVICE_INBOUND_SECRET') === '') {
    findings.push(
      warning(
        'security',
        'anybody who reaches the inbound endpoint can post messages',
        'service settings set SERVICE_INBOUND_SECRET - reads a secret from standard input',
      ),
    )
  }
  if (settings.get('SERVICE_LDAP_SKIP_TLS_VERIFY')) {
    findings.push(
      warning(
        'security',
        'the directory’s certificate is not verified',
        'service settings unset SERVICE_LDAP_SKIP_TLS_VERIFY',
      ),
    )
  }
  if (settings.get('SERVICE_CODE_EXEC_ALLOW_HOST')) {
    findings.push(
      warning(
        'security',
        'agents may run code on this host',
        'service settings set SERVICE_CODE_EXEC_SANDBOX_IMAGE, and unset SERVICE_CODE_EXEC_ALLOW_HOST',
      ),
    )
  }
  if (!settings.get('SERVICE_MODERATION')) {
    findings.push(
      warning(
        'security',
        'the guard is off: messages of users, text of strangers and answers of agents are not checked',
        'service settings set SERVICE_MODERATION on',
      ),
    )
  }
  return findings.length > 0 ? findings : [ok('security', 'no setting leaves anything open')]
}
