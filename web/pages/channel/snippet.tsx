/** A shell command that posts a message to a generic channel: what it needs, and what came of it. */
import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { apiBase, call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { State } from '../../parts/state.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Ago } from '../../parts/time.tsx'
import { TurnStatusBadge } from '../../parts/turn-status.tsx'
import { Words } from '../../parts/words.tsx'
import { useText } from '../../text/text.ts'
import type { Channel } from '../channels/health.tsx'
import { commandFor, secretCommand } from './command.ts'
import { channelText } from './text.ts'

/** Who writes: none of the customers that are bound. */
const sender = 'anna'

export function Snippet({ channel: { name, inbound } }: { channel: Channel }) {
  const t = useText(channelText)
  const bindings = useQuery({
    queryKey: ['bindings', name, sender],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/channels/{name}/bindings', { params: { name }, query: { external_id: sender }, signal }),
  })
  const isIgnored = inbound.needs_binding && bindings.data?.items.length === 0
  const command = commandFor({
    ...{ base: apiBase || location.origin, channel: name, sender, text: t('greeting') },
    ...{ needsSecret: inbound.needs_secret, noSecret: t('noSecret') },
  })
  return (
    <Card title={t('snippet')} fact={t('snippetWhy')}>
      <Stack gap="sm">
        <ErrorPanel error={bindings.error} onRetry={() => void bindings.refetch()} />
        {inbound.needs_secret && (
          <>
            <Text>{t('secretFirst')}</Text>
            <CopyText label={t('secretFirst')} text={secretCommand} />
          </>
        )}
        {isIgnored && <BindFirst name={name} />}
        <CopyText label={t('command')} text={command} />
        <Text size="sm" c="dimmed">
          {t('eachRun')} {inbound.needs_binding && t('ignoredWhy')}
          {inbound.ignored > 0 && ` ${t('ignored', { n: inbound.ignored })}`}
        </Text>
        <Newest name={name} />
      </Stack>
    </Card>
  )
}

/** The message would be ignored. */
function BindFirst({ name }: { name: string }) {
  const t = useText(channelText)
  const isWriter = useSession().may('channels.write')
  const queries = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { external_id: sender }
    await call('POST /v1/admin/channels/{name}/bindings', { params: { name }, body })
    await queries.invalidateQueries({ queryKey: ['bindings', name] })
  })
  return (
    <>
      <Banner
        tone="warn"
        title={t('nobodyBound')}
        actions={
          isWriter && (
            <Button size="xs" variant="default" loading={isBusy} onClick={() => submit()}>
              {t('bindNewcomer', { sender })}
            </Button>
          )
        }
      >
        {t(isWriter ? 'bindFirst' : 'bindFirstReader')}
      </Banner>
      <ErrorPanel error={error} />
    </>
  )
}

/** What was said last, if by the sender of the command or to it, so that whoever ran it sees it arrive and be answered. */
function Newest({ name }: { name: string }) {
  const t = useText(channelText)
  const isReader = useSession().may('conversations.read')
  const queryKey = ['channel-newest', name]
  useRefreshOn(refreshKinds, queryKey)
  const newest = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      call('GET /v1/admin/conversations', { query: { channel: name, limit: newestMax }, signal }),
    enabled: isReader,
  })
  if (!isReader) return null
  const conversation = newest.data?.conversations.find(({ external_id }) => external_id === sender)
  const said = conversation?.newest
  return (
    <>
      <ErrorPanel error={newest.error} onRetry={() => void newest.refetch()} />
      <div role="status">
        {newest.isSuccess && !said && <State state="queued">{t('waitsForFirst')}</State>}
        {conversation && said && (
          <>
            {conversation.turn && <TurnStatusBadge status={conversation.turn.status} />}{' '}
            <Words>{said.role === 'assistant' ? t('answered') : (conversation.external_id ?? said.role)}</Words>:{' '}
            <Words>{said.text ?? '–'}</Words> · <Ago iso={said.at} /> ·{' '}
            <Anchor underline="always" renderRoot={linkTo(`/conversations/${conversation.id}`)}>
              {t('openConversation')}
            </Anchor>
          </>
        )}
      </div>
    </>
  )
}

/** Where customers write meanwhile. */
const newestMax = 20

const refreshKinds = [
  'message.created',
  'turn.started',
  'turn.waiting',
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'turn.interrupted',
] as const
