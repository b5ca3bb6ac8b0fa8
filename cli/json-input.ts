/** JSON that a command is given, in a file or on standard input, and what of it is wrong in words. */
import { readFile, stat } from 'node:fs/promises'
import type { z } from 'zod'
import { CommandFailed } from './output.ts'
import { standardInput } from './standard-input.ts'

/** @param file undefined: standard input @throws CommandFailed */
export async function typedJson(file: string | undefined, bytesMax: number): Promise<unknown> {
  const text = file === undefined ? await standardInput(bytesMax) : await textOf(file, bytesMax)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandFailed(`this is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @throws CommandFailed */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const place = issue?.path.join('.') ?? ''
  throw new CommandFailed(`${place === '' ? '' : `${place}: `}${issue?.message}`)
}

async function textOf(file: string, bytesMax: number): Promise<string> {
  try {
    if ((await stat(file)).size > bytesMax) throw new CommandFailed(`${file} has more than ${bytesMax} bytes`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
