/** What somebody sees who installs it: npm has nothing to warn of. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '../../runtime/package.ts'

const read = (name: string) => JSON.parse(readFileSync(join(packageFolder, name), 'utf8'))

test('every package with an install script is decided on, so that npm does not ask', () => {
  const packages = read('package-lock.json').packages as Record<string, { hasInstallScript?: boolean }>
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  expect(Object.keys(read('package.json').allowScripts).toSorted()).toEqual([...new Set(names)].toSorted())
})
