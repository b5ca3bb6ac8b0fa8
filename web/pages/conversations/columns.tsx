/** The columns of the list of conversations. */

import { Anchor, Badge, Checkbox, Group, Text } from '@mantine/core'
import type { Answer } from '../../api/types.ts'
import type { Column } from '../../parts/data-table.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { conversationsText } from './text.ts'

export type ConversationRow = Answer<'GET /v1/admin/conversations'>['conversations'][number]

interface Selection {
  selected: ReadonlySet<string>
  toggle(id: string): void
}

const tagsShown = 2

/** @param selection undefined: the role may not organise conversations */
export function useColumns(selection: Selection | undefined): Column<ConversationRow>[] {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const nameOf = (row: ConversationRow) => row.title || `${t('untitled')} …${row.id.slice(-6)}`
  const select: Column<ConversationRow>[] = selection
    ? [
        {
          key: 'select',
          title: '',
          width: '24px',
          cell: (row) => (
            <Checkbox
              size="xs"
              aria-label={t('select', { name: nameOf(row) })}
              checked={selection.selected.has(row.id)}
              onChange={() => selection.toggle(row.id)}
            />
          ),
        },
      ]
    : []
  return [
    ...select,
    {
      key: 'title',
      title: c('name'),
      width: 'minmax(140px, 3fr)',
      cell: (row) => (
        <Anchor
          truncate
          display="block"
          {...(row.title === '' && { fs: 'italic' })}
          renderRoot={linkTo(`/conversations/${row.id}`)}
        >
          {nameOf(row)}
        </Anchor>
      ),
    },
    {
      key: 'channel',
      title: t('channel'),
      width: 'minmax(90px, 1.2fr)',
      cell: (row) => (
        <>
          <Text truncate>{row.channel ?? '–'}</Text>
          {row.external_id && (
            <Text size="sm" c="dimmed" truncate>
              {row.external_id}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'folder',
      title: t('folder'),
      width: 'minmax(80px, 1fr)',
      cell: (row) => <Text truncate>{row.folder ?? '–'}</Text>,
      isExtra: true,
    },
    {
      key: 'tags',
      title: t('tags'),
      width: 'minmax(90px, 1.4fr)',
      cell: (row) => <Tags tags={row.tags} />,
      isExtra: true,
    },
    { key: 'messages', title: t('messages'), width: '84px', cell: (row) => row.last_seq, isExtra: true },
    {
      key: 'changed',
      title: t('changed'),
      width: '130px',
      cell: (row) => <Time iso={row.updated_at} />,
      isExtra: true,
    },
  ]
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <Group gap={4} wrap="nowrap">
      {tags.slice(0, tagsShown).map((tag) => (
        <Badge key={tag} variant="default" size="sm" tt="none" radius="sm" maw={110}>
          {tag}
        </Badge>
      ))}
      {tags.length > tagsShown && (
        <Text size="sm" flex="none">
          +{tags.length - tagsShown}
        </Text>
      )}
    </Group>
  )
}
