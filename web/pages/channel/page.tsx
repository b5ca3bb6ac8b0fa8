/** One channel: its state, its configuration, who may write and recent errors; or the form of a new one. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useChannelAdapters } from '../../parts/channel-adapters.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { Health } from '../channels/health.tsx'
import { Bindings } from './bindings.tsx'
import { DeleteChannel } from './delete-channel.tsx'
import { DeliveryErrors } from './delivery-errors.tsx'
import { Editor } from './editor.tsx'
import { NewChannel } from './new-channel.tsx'
import { Snippet } from './snippet.tsx'
import { Switches } from './switches.tsx'

const refetchMs = 5_000

/** No channel can have this name. */
const newName = '_new'

export default function ChannelPage() {
  const { name = newName } = useParams({ strict: false }) as { name?: string }
  return name === newName ? <NewChannel /> : <ExistingChannel key={name} name={name} />
}

function ExistingChannel({ name }: { name: string }) {
  const [isDeleting, setDeleting] = useState(false)
  const channel = useQuery({
    enabled: !isDeleting,
    queryKey: ['channel', name],
    queryFn: ({ signal }) => call('GET /v1/admin/channels/{name}', { params: { name }, signal }),
    refetchInterval: refetchMs,
  })
  const adapters = useChannelAdapters()
  const { data } = channel
  return (
    <Page title={name}>
      <ErrorPanel error={channel.error} onRetry={() => void channel.refetch()} />
      <ErrorPanel error={adapters.error} onRetry={() => void adapters.refetch()} />
      {!data && channel.isPending && <Skeleton height={320} />}
      {data && (
        <>
          <div>
            <Health channel={data} />
          </div>
          <Switches channel={data} />
          {adapters.data && <Editor current={data} adapters={adapters.data} />}
          {!isDeleting && <Bindings name={name} />}
          {data.adapter === 'generic' && <Snippet name={name} />}
          {!isDeleting && <DeliveryErrors name={name} />}
          <DeleteChannel name={name} onDeleting={setDeleting} />
        </>
      )}
    </Page>
  )
}
