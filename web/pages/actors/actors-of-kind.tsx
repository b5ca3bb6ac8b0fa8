/** The actors of one kind, each with its children below it. */
import { Button, Text } from '@mantine/core'
import { call } from '../../api/call.ts'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { ActorState, type ActorStatus } from './status.tsx'
import { actorsText } from './text.ts'

/** As the API describes it, to any depth. */
interface Actor {
  path: string
  key: string
  status: ActorStatus
  mailbox: { waiting: number; capacity: number }
  restarts: number
  age_ms: number
  child_count: number
  children?: Actor[]
}

type Row = { is: 'actor'; actor: Actor; depth: number } | { is: 'more'; path: string; count: number; depth: number }

interface ActorsOfKindProps {
  kind: string
  /** Undefined: the one that answers. */
  node: number | undefined
  refetchMs: number | undefined
  onClose(): void
}

export function ActorsOfKind({ kind, node, refetchMs, onClose }: ActorsOfKindProps) {
  const t = useText(actorsText)
  const language = useLanguage()
  const columns: Column<Row>[] = [
    {
      key: 'actor',
      title: t('actor'),
      width: 'minmax(140px, 2fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (
        <Text ff="monospace" style={{ paddingInlineStart: row.depth * 18 }}>
          {row.is === 'more' ? t('moreChildren', { n: row.count }) : row.depth === 0 ? row.actor.key : row.actor.path}
        </Text>
      ),
    },
    {
      key: 'status',
      title: t('state'),
      width: '120px',
      cell: (row) => row.is === 'actor' && <ActorState status={row.actor.status} />,
    },
    {
      key: 'mailbox',
      title: t('mailboxOne'),
      width: '90px',
      isNumber: true,
      phone: 'aside',
      cell: (row) => row.is === 'actor' && `${row.actor.mailbox.waiting} / ${row.actor.mailbox.capacity}`,
    },
    {
      key: 'restarts',
      title: t('restarts'),
      width: '110px',
      isNumber: true,
      cell: (row) => row.is === 'actor' && row.actor.restarts,
      isExtra: true,
    },
    {
      key: 'age',
      title: t('age'),
      width: '110px',
      isNumber: true,
      cell: (row) => row.is === 'actor' && durationText(row.actor.age_ms, language),
      isExtra: true,
    },
  ]
  return (
    <Card
      title={t('ofKind', { kind })}
      label=""
      actions={
        <Button size="xs" variant="default" onClick={onClose}>
          {t('backToAll')}
        </Button>
      }
    >
      <DataTable<Row>
        label={t('ofKind', { kind })}
        queryKey={['actors', node, kind]}
        load={async (cursor, signal) => {
          const query = {
            kind,
            limit: 100,
            ...(node !== undefined && { node }),
            ...(cursor !== undefined && { cursor: Number(cursor) }),
          }
          const page = await call('GET /v1/admin/actors', { query, signal })
          const rows = page.items.flatMap((actor: Actor) => rowsOf(actor, 0))
          return { rows, next: page.next_cursor === null ? null : String(page.next_cursor) }
        }}
        columns={columns}
        rowKey={(row) => (row.is === 'actor' ? row.actor.path : `${row.path} more`)}
        empty={t('emptyKind')}
        {...(refetchMs !== undefined && { refetchMs })}
      />
    </Card>
  )
}

function rowsOf(actor: Actor, depth: number): Row[] {
  const { path, children = [], child_count } = actor
  const more = child_count - children.length
  return [
    { is: 'actor', actor, depth },
    ...children.flatMap((child) => rowsOf(child, depth + 1)),
    ...(more > 0 ? [{ is: 'more', path, count: more, depth: depth + 1 } as const] : []),
  ]
}
