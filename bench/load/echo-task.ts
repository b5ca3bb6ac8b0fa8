/** The task of the pool row: nothing but the way. */

export default function echo(task: { text: string }): { text: string } {
  return task
}
