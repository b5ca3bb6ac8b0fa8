/** One channel: its state, its configuration, who may write and recent errors; or the form of a new one. */

import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useChannelAdapters } from '../../parts/channel-adapters.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useRemoval } from '../../parts/removal.ts'
import { Health } from '../channels/health.tsx'
import { DeleteChannel } from './delete-channel.tsx'
import { Editor } from './editor.tsx'
import { NewChannel } from './new-channel.tsx'
import { Switches } from './switches.tsx'

/** Loaded behind the form, which comes first. */
const Below = lazy(() => import('./below.tsx'))

const refetchMs = 5_000

/** No channel can have this name. */
const newName = '_new'

export default function ChannelPage() {
  const { name = newName } = useParams({ strict: false }) as { name?: string }
  return name === newName ? <NewChannel /> : <ExistingChannel key={name} name={name} />
}

function ExistingChannel({ name }: { name: string }) {
  const { isGone, remove } = useRemoval(name)
  const channel = useQuery({
    enabled: !isGone,
    queryKey: ['channel', name],
    queryFn: ({ signal }) => call('GET /v1/admin/channels/{name}', { params: { name }, signal }),
    refetchInterval: refetchMs,
  })
  useRefreshOn(['settings.changed'], ['channel', name])
  const adapters = useChannelAdapters()
  const { data } = channel
  return (
    <Page title={name} facts={data && <Health channel={data} />}>
      <ErrorPanel error={channel.error} onRetry={() => void channel.refetch()} />
      <ErrorPanel error={adapters.error} onRetry={() => void adapters.refetch()} />
      {!data && channel.isPending && <Skeleton height={320} />}
      {data && (
        <Stack gap={16} maw={860}>
          <Switches channel={data} />
          {adapters.data && <Editor current={data} adapters={adapters.data} />}
          <Suspense>{!isGone && <Below channel={data} />}</Suspense>
          <DeleteChannel name={name} remove={remove} />
        </Stack>
      )}
    </Page>
  )
}
