/** How a worker reports the end of a task: structured cloning would drop an error's code and class. */

export interface TaskError {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
}

export type TaskOutcome<Result> = { isOk: true; result: Result } | { isOk: false; error: TaskError }

export function taskError(thrown: unknown): TaskError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), stack: undefined, code: undefined }
  const { code } = thrown as { code?: unknown }
  return {
    name: thrown.name,
    message: thrown.message,
    stack: thrown.stack,
    code: typeof code === 'string' ? code : undefined,
  }
}

/** An error with the name, code and stack that the task's had. */
export function rebuiltError({ name, message, stack, code }: TaskError): Error {
  const error = new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return code === undefined ? error : Object.assign(error, { code })
}
