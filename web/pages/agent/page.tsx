/** One agent: its form and its versions; or a form for a new one. */

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Editor } from './editor.tsx'
import { agentText } from './text.ts'

export default function AgentPage() {
  const { id = 'new' } = useParams({ strict: false }) as { id?: string }
  return id === 'new' ? <Editor key="new" read={undefined} /> : <ExistingAgent key={id} id={id} />
}

function ExistingAgent({ id }: { id: string }) {
  const t = useText(agentText)
  const agent = useQuery({
    queryKey: ['agent', id],
    queryFn: ({ signal }) => call('GET /v1/admin/agents/{agent_id}', { params: { agent_id: id }, signal }),
  })
  if (agent.data) return <Editor read={agent.data} />
  return (
    <Page title={t('agents')}>
      {agent.isError ? (
        <ErrorPanel error={agent.error} onRetry={() => void agent.refetch()} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  )
}
