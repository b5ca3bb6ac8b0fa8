/** The entry of a worker thread: loads the pool's task file once, and answers each task with its outcome. */
import { workerData } from 'piscina'
import { type TaskOutcome, taskError } from './outcome.ts'

type TaskFile = { default: (task: unknown) => unknown }

const { file } = workerData as { file: string }
const loaded = import(file) as Promise<TaskFile>

export default async function runTask(task: unknown): Promise<TaskOutcome<unknown>> {
  // A file that does not load is not the task's failure: it ends the worker.
  const { default: handle } = await loaded
  try {
    return { isOk: true, result: await handle(task) }
  } catch (thrown) {
    return { isOk: false, error: taskError(thrown) }
  }
}
