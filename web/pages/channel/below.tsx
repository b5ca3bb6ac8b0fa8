/** What stands below the form of a channel, loaded behind it: who may write, the command, and what was not delivered. */
import { Stack } from '@mantine/core'
import type { Channel } from '../channels/health.tsx'
import { Bindings } from './bindings.tsx'
import { DeliveryErrors } from './delivery-errors.tsx'
import { Snippet } from './snippet.tsx'

export default function Below({ channel }: { channel: Channel }) {
  const { name, adapter } = channel
  return (
    <Stack gap={16}>
      <Bindings name={name} />
      {adapter === 'generic' && <Snippet channel={channel} />}
      <DeliveryErrors name={name} />
    </Stack>
  )
}
