/** One shared `setImmediate` per turn of the loop for all tasks that run at its end. */

export interface AtTurnEnd {
  turnEnded(): void
}

let waiting: AtTurnEnd[] = []

export function atTurnEnd(task: AtTurnEnd): void {
  if (waiting.length === 0) setImmediate(run)
  waiting.push(task)
}

function run(): void {
  const tasks = waiting
  waiting = []
  for (const task of tasks) task.turnEnded()
}
