/** The columns of the list of conversations. */
import { useMemo } from 'react'
import type { Column } from '../../parts/data-table.tsx'
import { PageLink } from '../../parts/link-to.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { isOpen, TurnStatusBadge, TurnStatusMark } from '../../parts/turn-status.tsx'
import { Words } from '../../parts/words.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useLanguage, useText } from '../../text/text.ts'
import styles from './conversations.module.css'
import type { ConversationRow } from './filters.ts'
import { conversationsText } from './text.ts'

/** The columns that show until somebody chooses. */
export const shownByDefault = ['title', 'agent', 'channel', 'tags', 'active']
/** Beside an open conversation there is room for these. */
export const shownBeside = ['title', 'active']

/** @param linkOf the address that opens a conversation beside the list */
export function useColumns(linkOf: (id: string) => Readonly<Record<string, string>>): Column<ConversationRow>[] {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const language = useLanguage()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change with the language alone
  return useMemo(
    () => [
      {
        key: 'title',
        title: c('name'),
        width: 'minmax(180px, 4fr)',
        isMain: true,
        phone: 'title',
        cell: (row) => <Title row={row} search={linkOf(row.id)} />,
      },
      {
        key: 'agent',
        title: t('agent'),
        width: 'minmax(110px, 1.4fr)',
        phone: 'none',
        cell: (row) => (
          <>
            <div className="cut">{row.turn?.agent ?? '–'}</div>
            {row.turn && row.turn.status !== 'completed' && <TurnStatusBadge status={row.turn.status} />}
          </>
        ),
      },
      {
        key: 'channel',
        title: t('channel'),
        width: 'minmax(90px, 1.2fr)',
        phone: 'line',
        cell: (row) => (
          <>
            <div className="cut">{row.channel ?? '–'}</div>
            {row.external_id && <div className={styles['line']}>{row.external_id}</div>}
          </>
        ),
      },
      {
        key: 'folder',
        title: t('folder'),
        width: 'minmax(80px, 1fr)',
        isExtra: true,
        cell: (row) => <span title={row.folder ?? ''}>{row.folder ?? '–'}</span>,
      },
      {
        key: 'tags',
        title: t('tags'),
        width: 'minmax(90px, 1.2fr)',
        isExtra: true,
        cell: (row) => <Tags tags={row.tags} />,
      },
      {
        key: 'messages',
        title: t('messages'),
        width: '84px',
        isNumber: true,
        isExtra: true,
        cell: (row) => row.last_seq,
      },
      {
        key: 'created',
        title: t('created'),
        width: '110px',
        isSortable: true,
        isExtra: true,
        cell: (row) => <Time iso={row.created_at} />,
      },
      {
        key: 'active',
        title: t('active'),
        width: '76px',
        isNumber: true,
        isSortable: true,
        phone: 'aside',
        cell: (row) => <Ago iso={row.newest?.at ?? row.active_at} />,
      },
    ],
    [language, linkOf],
  )
}

function speakerOf(
  { role, name }: NonNullable<ConversationRow['newest']>,
  { turn, external_id: sender }: ConversationRow,
  t: Translate<typeof conversationsText.en>,
): string {
  if (role === 'assistant') return turn?.agent ?? t('assistant')
  if (role !== 'user') return name ?? role
  return turn?.origin === 'admin' ? t('operator') : (name ?? sender ?? t('person'))
}

/** Its title or its first words, and below who spoke last and what. */
function Title({ row, search }: { row: ConversationRow; search: Readonly<Record<string, string>> }) {
  const t = useText(conversationsText)
  const { newest, turn } = row
  const isWaiting = turn !== null && isOpen(turn.status)
  const speaker = newest && speakerOf(newest, row, t)
  return (
    <>
      <div className={styles['title']}>
        {isWaiting && <TurnStatusMark status={turn.status} />}
        <PageLink path="/conversations" search={search} title={nameOf(row, t('untitled'))}>
          {nameOf(row, t('untitled'))}
        </PageLink>
      </div>
      <div className={styles['line']}>
        {speaker ? (
          <>
            <Words>{speaker}</Words>: <Words>{newest?.text ?? t('noText')}</Words>
          </>
        ) : (
          t('noMessages')
        )}
      </div>
    </>
  )
}

export const nameOf = (row: Pick<ConversationRow, 'id' | 'title' | 'opening'>, untitled: string): string =>
  row.title || row.opening || `${untitled} …${row.id.slice(-6)}`

const tagsShown = 2

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className={styles['tags']} title={tags.join(', ')}>
      {tags.slice(0, tagsShown).map((tag) => (
        <span key={tag} className={styles['tag']}>
          {tag}
        </span>
      ))}
      {tags.length > tagsShown && <span>+{tags.length - tagsShown}</span>}
    </span>
  )
}
