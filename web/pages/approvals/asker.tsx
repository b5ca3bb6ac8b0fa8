/** Who asks, for whom, and where it is said: the facts of a waiting thing. */
import { Anchor } from '@mantine/core'
import { useSession } from '../../app/session.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { type Translate, useText } from '../../text/text.ts'
import type { InboxItem } from './inbox-item.ts'
import { approvalsText } from './text.ts'
import { TurnLink } from './turn-link.tsx'
import { visibleText } from './visible-json.ts'

/** In a few words: the person, the key or the operator, and the channel. */
export function askedFor({ asked_by: by }: InboxItem, origin: Translate<typeof turnOriginText.en>): string {
  if (by === null) return ''
  const who = by.sender_name ?? by.sender ?? by.operator ?? by.api_key ?? ''
  return visibleText([who, by.channel ?? (who === '' ? origin(by.origin) : '')].filter(Boolean).join(' · '))
}

export function Asker({ item }: { item: InboxItem }) {
  const t = useText(approvalsText)
  const origin = useText(turnOriginText)
  const { may } = useSession()
  const { asked_by: by, conversation_id: conversation } = item
  const rows: [string, React.ReactNode][] = []
  if (item.agent !== null) rows.push([t('agent'), item.agent])
  if (item.path !== '') rows.push([t('place'), item.path])
  if (by?.sender != null)
    rows.push([t('person'), visibleText(by.sender_name ? `${by.sender_name}, ${by.sender}` : by.sender)])
  if (by?.channel != null) rows.push([t('channel'), by.channel])
  if (by?.operator != null) rows.push([t('operator'), by.operator])
  if (by?.api_key != null) rows.push([t('apiKey'), by.api_key])
  if (by) rows.push([t('origin'), origin(by.origin)])
  if (conversation !== null && may('conversations.read'))
    rows.push([
      t('conversation'),
      <Anchor key="conversation" renderRoot={linkTo(`/conversations/${conversation}`)}>
        {visibleText(by?.title ?? t('open'))}
      </Anchor>,
    ])
  if (by !== null && may('conversations.read')) rows.push([t('turn'), <TurnLink key="turn" id={item.turn_id} />])
  return <KeyValue rows={rows} />
}
