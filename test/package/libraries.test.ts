/** The inventory of the libraries of others: what the lock files hold, each with its version and its hash, from the registry. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '../../runtime/package.ts'

interface Library {
  version?: string
  resolved?: string
  integrity?: string
  optional?: boolean
  os?: string[]
}

const jsonOf = (file: string) => JSON.parse(readFileSync(join(packageFolder, file), 'utf8')) as unknown

test.each(['package-lock.json', 'test/counterparts/package-lock.json'])(
  'every library in %s has a version and a hash, and comes from the registry',
  (file) => {
    const { packages } = jsonOf(file) as { packages: Record<string, Library> }
    const libraries = Object.entries(packages).filter(([name]) => name !== '')
    expect(libraries.length).toBeGreaterThan(100)
    // Without `resolved`, npm takes it from the registry that it is set to: none comes from a repository or an address.
    expect(libraries.filter(([, { version, resolved }]) => !version || resolved !== undefined)).toEqual([])
    // npm writes no hash of what it has not seen: binaries of platforms that nobody has installed on yet.
    const bare = libraries.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))
    expect(bare.filter(([, { optional, os }]) => !optional || !os)).toEqual([])
  },
)

test('the package names each of its libraries by its exact version', () => {
  const { dependencies } = jsonOf('package.json') as { dependencies: Record<string, string> }
  const loose = Object.entries(dependencies).filter(
    ([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  )
  expect(loose).toEqual([])
})
