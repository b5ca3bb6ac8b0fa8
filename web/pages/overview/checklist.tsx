/** The setup checklist of a fresh installation, in the best order; hidden once everything is done. */

import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Circle, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/types.ts'
import { browserSetting } from '../../app/browser-settings.ts'
import { Card } from '../../parts/card.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { useText } from '../../text/text.ts'
import type { Overview } from './health.tsx'
import { overviewText } from './text.ts'

const hidden = browserSetting('setup-hidden', false, (text) => text === 'true')

interface ChecklistProps {
  overview: Overview
  /** Undefined: not loaded yet, or not permitted for this role. */
  settings: Answer<'GET /v1/admin/settings'> | undefined
}

export function Checklist({ overview, settings }: ChecklistProps) {
  const t = useText(overviewText)
  const mayOpen = useMayOpen()
  const [isHidden, setHidden] = useState(hidden.get)
  const { counts } = overview
  const hasTurns = Object.values(counts.turns_last_24h).some((turns) => turns > 0)
  const modelPage = mayOpen('/first-steps', 'settings.write')
    ? ({ path: '/first-steps', permission: 'settings.write' } as const)
    : ({ path: '/settings', permission: 'settings.read' } as const)
  const steps = [
    ...(settings
      ? [
          {
            is: 'stepModel',
            about: 'stepModelAbout',
            ...modelPage,
            isDone: settings.has_model,
          } as const,
        ]
      : []),
    {
      is: 'stepChat',
      about: 'stepChatAbout',
      path: '/playground',
      permission: 'chat.use',
      isDone: counts.conversations > 0 || hasTurns,
    } as const,
    {
      is: 'stepChannel',
      about: 'stepChannelAbout',
      path: '/channels',
      permission: 'channels.read',
      isDone: counts.channels > 1, // each installation begins with one, `generic`, which leads nowhere yet
    } as const,
  ]
  if (isHidden || steps.every(({ isDone }) => isDone)) return null
  return (
    <Card
      title={t('setup')}
      actions={
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            hidden.set(true)
            setHidden(true)
          }}
        >
          {t('setupHide')}
        </Button>
      }
    >
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ is, about, path, permission, isDone }) => (
          <Group key={is} component="li" gap="sm" wrap="nowrap" align="flex-start">
            {isDone ? <CircleCheck size={18} aria-label={t('done')} /> : <Circle size={18} aria-label={t('toDo')} />}
            <div>
              {!isDone && mayOpen(path, permission) ? (
                <Anchor renderRoot={linkTo(path)}>{t(is)}</Anchor>
              ) : (
                <Text>{t(is)}</Text>
              )}
              {!isDone && (
                <Text size="sm" c="dimmed">
                  {t(about)}
                </Text>
              )}
            </div>
          </Group>
        ))}
      </Stack>
    </Card>
  )
}
