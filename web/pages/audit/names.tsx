/** Who acted and on what, by name: a link where it has a page, the id where no name is known. */

import type { Permission } from '../../api/session.ts'
import { shortId } from '../../parts/id-text.tsx'
import { LinkIfMay } from '../../parts/link-if-may.tsx'
import { Words } from '../../parts/words.tsx'
import { type Language, useLanguage, useText } from '../../text/text.ts'
import { nameOf as settingName } from '../settings/names.ts'
import styles from './audit.module.css'
import type { Entry } from './audit-entry.ts'
import { auditText } from './text.ts'

/** Callers that are neither a person nor a key. */
const callers = { 'command line': 'commandLine', setup: 'setup', nobody: 'someone', service: 'system' } as const

export function useActorName(): (entry: Entry) => string {
  const t = useText(auditText)
  return ({ actor, actor_name: name }) =>
    name ?? (Object.hasOwn(callers, actor) ? t(callers[actor as keyof typeof callers]) : shortId(actor))
}

export function Actor({ entry }: { entry: Entry }) {
  const name = useActorName()(entry)
  const isCaller = Object.hasOwn(callers, entry.actor)
  return (
    <span className={isCaller ? styles['system'] : undefined} title={entry.actor}>
      <Words>{name}</Words>
    </span>
  )
}

/** A deleted one has the name that the change itself says. */
export function targetName({ target, target_name: name, detail, action }: Entry, language: Language): string {
  if (name !== null && target !== null) return [name, ...target.split('/').slice(1)].join(' / ')
  if (target === null) return '–'
  if (action.startsWith('setting.')) return settingName(target, language)
  if (!/_[0-9a-f]{32}$/.test(target)) return target
  for (const side of [detail?.after, detail?.before]) {
    const { name: one, login } = (side ?? {}) as { name?: unknown; login?: unknown }
    if (typeof one === 'string' && one !== '') return one
    if (typeof login === 'string' && login !== '') return login
  }
  return shortId(target)
}

const pages: Readonly<Record<string, { page: string; permission: Permission }>> = {
  agent: { page: '/agents/$id', permission: 'agents.read' },
  conv: { page: '/conversations/$id', permission: 'conversations.read' },
  turn: { page: '/turns/$id', permission: 'conversations.read' },
}

export function Target({ entry }: { entry: Entry }) {
  const language = useLanguage()
  const { target, action } = entry
  const name = (
    <span title={target ?? ''}>
      <Words>{targetName(entry, language)}</Words>
    </span>
  )
  if (target === null) return name
  // The target of a change is the name of a channel, that of a binding its id and the sender.
  const channel = target.startsWith('chan_') ? entry.target_name : target
  if (action.startsWith('channel.') && action !== 'channel.delete' && channel !== null)
    return (
      <LinkIfMay page="/channels/$name" path={`/channels/${channel}`} permission="channels.read">
        {name}
      </LinkIfMay>
    )
  const known = pages[target.slice(0, target.indexOf('_'))]
  if (!known || entry.target_name === null) return name
  return (
    <LinkIfMay page={known.page} path={known.page.replace('$id', target)} permission={known.permission}>
      {name}
    </LinkIfMay>
  )
}
