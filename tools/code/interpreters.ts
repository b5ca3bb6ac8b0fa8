/** The languages that code can be written in, and the interpreters that run them. */
import { isAbsolute } from 'node:path'
import { findInSystem, isProgram } from '../../runtime/process/find-program.ts'

const defaultPrograms: Readonly<Record<string, string>> = { python: 'python3', bash: 'bash', sh: 'sh' }

export interface Interpreters {
  /** Language to absolute path. */
  byLanguage: ReadonlyMap<string, string>
  /** What was configured and cannot be run; a sentence each. */
  problems: readonly string[]
}

/** @param configured language to path; empty: what the system has */
export function hostInterpreters(configured: Readonly<Record<string, string>>): Interpreters {
  const byLanguage = new Map<string, string>()
  const problems: string[] = []
  if (Object.keys(configured).length === 0) {
    for (const [language, program] of Object.entries(defaultPrograms)) {
      const file = findInSystem(program)
      if (file !== undefined) byLanguage.set(language, file)
    }
    return { byLanguage, problems }
  }
  for (const [name, file] of Object.entries(configured)) {
    if (isAbsolute(file) && isProgram(file)) byLanguage.set(languageOf(name), file)
    else problems.push(`SERVICE_CODE_EXEC_INTERPRETERS: ${file} for ${name} is not the absolute path of a program`)
  }
  return { byLanguage, problems }
}

const aliases: Readonly<Record<string, string>> = { js: 'javascript', py: 'python', python3: 'python', shell: 'sh' }

/** One name for a language, whatever a model calls it. */
export function languageOf(name: string): string {
  const plain = name.trim().toLowerCase()
  return Object.hasOwn(aliases, plain) ? (aliases[plain] ?? plain) : plain
}

/** Unbuffered, so that what was printed before the end is there after it; no compiled files. */
export function interpreterArguments(language: string): string[] {
  return language === 'python' ? ['-u', '-B'] : []
}
