/** `npm run docs:settings`: writes docs/settings.md from the catalogue, so that the page cannot say other than the code. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { groups } from '../config/catalogue.ts'
import type { ApplyMode, Setting } from '../config/setting.ts'

export const settingsPageFile = fileURLToPath(new URL('../docs/settings.md', import.meta.url))

const applies: Record<ApplyMode, string> = { restart: 'restart', live: 'live', immediate: 'at once' }

const introduction = `# Settings

<!-- Written by \`npm run docs:settings\` from config/groups: change it there. -->

A setting's value is the one that is stored, or the environment variable of the same name, or the default, in this order.
Store one with \`node bin/service.js settings set KEY VALUE\` (\`-\` as the value reads standard input, which keeps a secret out
of the shell's history), forget it with \`settings unset KEY\`; \`settings list\` shows for each what counts, where
it comes from, and what waits for a restart. Both work with the service running or not. A value that is not allowed is
refused with what is, also at start: the service does not begin with a setting that means nothing.

- **Applies**: \`restart\` is read at start, \`live\` is seen by the next use in the running service, \`at once\` also reaches
  what runs already.
- **Secret** values are sealed in the database with the master key (\`master.key\` in SERVICE_DATA_DIR, made at the first
  start with mode 0600, or SERVICE_MASTER_KEY) and never shown again.
- **Store only** settings ignore the environment; **environment only** ones are needed before the store is open.
- **No effect yet**: the setting belongs to a feature that this version does not have. Its value is stored and checked, and
  nothing reads it.
- An address (url) may hold a password or a token; lists show it without.
- A duration is a number with a unit (\`500ms\`, \`30s\`, \`15m\`, \`2h\`, \`7d\`); blank is a value of its own.
`

export function settingsPage(): string {
  const sections = Object.entries(groups).map(
    ([group, settings]) =>
      `## ${group}\n\n${Object.entries(settings as Record<string, Setting<unknown>>)
        .map(([key, setting]) => entry(key, setting))
        .join('\n')}`,
  )
  return `${introduction}\n${sections.join('\n')}`
}

function entry(key: string, setting: Setting<unknown>): string {
  const { source } = setting
  const facts = [
    setting.default === '' ? 'blank by default' : `default \`${setting.default}\``,
    `applies ${applies[setting.apply]}`,
    setting.isSecret && 'secret',
    source === 'store' && 'store only',
    source === 'environment' && 'environment only',
    setting.isUnused && '**no effect yet**',
  ].filter((fact) => fact !== false)
  return `### ${key}\n\n${setting.help.en}\n\nType ${setting.type}: ${setting.allowed}; ${facts.join('; ')}.\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(settingsPageFile, settingsPage())
