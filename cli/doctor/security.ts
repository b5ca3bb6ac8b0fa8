/** Settings that leave something open, perhaps without intent. */
import { parseDatabaseUrl } from '../../config/database-url.ts'
import type { Settings } from '../../config/settings.ts'
import { isLoopback } from '../../http/edge/client-ip.ts'
import { commandName } from '../../runtime/command-name.ts'
import { type Finding, ok, warning } from './finding.ts'

export function checkSecurity(settings: Settings): Finding[] {
  const findings: Finding[] = []
  if (settings.get('SERVICE_INBOUND_SECRET') === '') {
    findings.push(
      warning(
        'security',
        'anybody who reaches the inbound endpoint can post messages',
        `Reads a secret from standard input: ${commandName()} settings set SERVICE_INBOUND_SECRET -`,
      ),
    )
  }
  for (const weakness of settings.weaknesses()) {
    const [key = ''] = weakness.split(' ', 1)
    findings.push(
      warning('security', weakness, `Reads one from standard input: ${commandName()} settings set ${key} -`),
    )
  }
  if (settings.get('SERVICE_LDAP_SKIP_TLS_VERIFY')) {
    findings.push(
      warning(
        'security',
        'the directory’s certificate is not verified',
        `${commandName()} settings unset SERVICE_LDAP_SKIP_TLS_VERIFY`,
      ),
    )
  }
  if (settings.get('SERVICE_CODE_EXEC_ALLOW_HOST')) {
    findings.push(
      warning(
        'security',
        'agents may run code on this host',
        `Set SERVICE_CODE_EXEC_SANDBOX_IMAGE, and forbid this: ${commandName()} settings unset SERVICE_CODE_EXEC_ALLOW_HOST`,
      ),
    )
  }
  if (!settings.get('SERVICE_MODERATION')) {
    findings.push(
      warning(
        'security',
        'the guard is off: messages of users, text of strangers and answers of agents are not checked',
        `${commandName()} settings set SERVICE_MODERATION on`,
      ),
    )
  }
  findings.push(...databaseKeys.flatMap((key) => plainDatabase(key, settings.get(key))))
  return findings.length > 0 ? findings : [ok('security', 'no setting leaves anything open')]
}

const databaseKeys = ['SERVICE_DATABASE_URL', 'SERVICE_DB_QUERY_DSN'] as const

/** The driver encrypts with `sslmode=require` too, but then takes any certificate. */
function plainDatabase(key: (typeof databaseKeys)[number], value: string): Finding[] {
  const { places = [], urlOf } = parseDatabaseUrl(value) ?? {}
  for (const place of places) {
    const { searchParams } = new URL(urlOf?.(place) ?? value)
    const { host } = place
    const isHere = host === '' || host === 'localhost' || isLoopback(host) || searchParams.get('host')?.startsWith('/')
    const isVerified = searchParams.get('sslmode') === 'verify-full' || searchParams.get('sslrootcert') === 'system'
    if (isHere || isVerified) continue
    const found = `${key} reaches ${host} without TLS, or without a check of its certificate`
    return [warning('security', found, 'Add sslmode=verify-full to its query: see docs/database.md.')]
  }
  return []
}
