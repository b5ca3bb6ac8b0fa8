/** Finds programs of the host: engines on the PATH, interpreters where systems put them. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Only these: the PATH of the service may lead into its own user's home, which no sandbox sees. */
const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin']

const usualPrograms: Readonly<Record<string, string>> = { python: 'python3', bash: 'bash', sh: 'sh' }

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    // Whatever the reason, it cannot be run.
    return false
  }
}

export function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

export function findInSystem(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find(isProgram)
}

export interface Interpreters {
  /** Language to absolute path. */
  found: ReadonlyMap<string, string>
  /** What was configured and cannot be run, in words. */
  problems: readonly string[]
}

/** @param configured language to path; empty: what the system has */
export function hostInterpreters(configured: Readonly<Record<string, string>>): Interpreters {
  const found = new Map<string, string>()
  const problems: string[] = []
  if (Object.keys(configured).length === 0) {
    for (const [language, program] of Object.entries(usualPrograms)) {
      const file = findInSystem(program)
      if (file !== undefined) found.set(language, file)
    }
    return { found, problems }
  }
  for (const [name, file] of Object.entries(configured)) {
    if (isAbsolute(file) && isProgram(file)) found.set(languageOf(name), file)
    else problems.push(`SERVICE_CODE_EXEC_INTERPRETERS: ${file} for ${name} is no absolute path of a program`)
  }
  return { found, problems }
}

const otherNames: Readonly<Record<string, string>> = { js: 'javascript', py: 'python', python3: 'python', shell: 'sh' }

/** One name for a language, whatever a model calls it. */
export function languageOf(name: string): string {
  const plain = name.trim().toLowerCase()
  return Object.hasOwn(otherNames, plain) ? (otherNames[plain] ?? plain) : plain
}

/** Unbuffered, so that what was printed before the end is there after it; no compiled files. */
export function interpreterArguments(language: string): string[] {
  return language === 'python' ? ['-u', '-B'] : []
}
