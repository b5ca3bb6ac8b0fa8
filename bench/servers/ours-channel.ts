/** The channel of the benchmark: the one that every service has, with room for everything that is posted. */
import type { OurServer } from './ours.ts'

export async function openIntake(
  ours: Pick<OurServer, 'endpoint' | 'firstKey'>,
  { isPaused }: { isPaused: boolean },
): Promise<void> {
  const { host, port } = ours.endpoint
  const answer = await fetch(`http://${host}:${port}/v1/admin/channels/generic`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ours.firstKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_paused: isPaused, policy: { backlog_max: 1_000_000, turns_max: 256 } }),
  })
  if (answer.status !== 200) throw new Error(`the channel of the benchmark: ${answer.status} ${await answer.text()}`)
}
