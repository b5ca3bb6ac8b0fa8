/** README and docs as a reader meets them: pages, their blocks in order, and the commands in each. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../runtime/package.ts'

export interface Page {
  /** As in `docs/channels.md`. */
  name: string
  text: string
}

export interface Block {
  /** As in `docs/channels.md:12`, the line of its fence. */
  at: string
  language: string
  text: string
  /** What the page says right before it. */
  introduction: string
}

/** The README first, then docs by name. */
export function pages(): Page[] {
  const docs = readdirSync(join(packageFolder, 'docs')).filter((name) => name.endsWith('.md'))
  return ['README.md', ...docs.toSorted().map((name) => `docs/${name}`)].map((name) => ({
    name,
    text: readFileSync(join(packageFolder, name), 'utf8'),
  }))
}

export function blocksOf({ name, text }: Page): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(({ 1: indent, 2: language, 3: body, index }) => {
    const before = text.slice(0, index)
    return {
      at: `${name}:${before.split('\n').length}`,
      language: language ?? '',
      text: (body ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      introduction: before.trimEnd().split('\n\n').at(-1) ?? '',
    }
  })
}

export const isShell = ({ language }: Block): boolean => ['sh', 'bash', 'shell'].includes(language)

/** Whole commands, in order: a line, or as many as the shell needs to read one. Comments are none. */
export function commandsOf({ text }: Block): string[] {
  const commands: string[] = []
  let open: string[] = []
  for (const line of text.split('\n')) {
    if (open.length === 0 && /^\s*(#|$)/.test(line)) continue
    open.push(line)
    const command = open.join('\n')
    if (line.endsWith('\\') || !isWhole(command)) continue
    commands.push(command)
    open = []
  }
  if (open.length > 0) throw new Error(`this is no whole command: ${open.join('\n')}`)
  return commands
}

function isWhole(command: string): boolean {
  try {
    execFileSync('bash', ['-n'], { input: command, stdio: ['pipe', 'ignore', 'ignore'] })
    return true
  } catch {
    return false
  }
}
