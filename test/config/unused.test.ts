import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { settingKeys, settingOf } from '../../config/catalogue.ts'

const rooms = ['actors', 'cli', 'config', 'gateway', 'guard', 'http', 'models', 'runtime', 'store', 'tools', 'workers']
/** They name settings and do nothing by their values. */
const excepted = ['config/groups', 'cli/doctor', 'http/system/switched-off.ts']

test('a setting says that it has no effect exactly where nothing reads it', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
    )
    .filter((name) => name.endsWith('.ts') && !excepted.some((each) => name.startsWith(each)))
  const sources = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')
  const named = new Set(sources.match(/\b(?:SERVICE|CHATAPP|REMOTE_AGENT)_[A-Z0-9_]+/g))
  expect(settingKeys.filter((key) => settingOf(key).isUnused)).toEqual(settingKeys.filter((key) => !named.has(key)))
})
