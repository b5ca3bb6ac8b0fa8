/** Playground: a conversation with any agent or model, with the steps of its turns. */
import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { apiBase } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Chat } from './chat.tsx'
import { curlOf, requestOf } from './conversation.ts'
import { ModelField, SetupFields } from './setup-fields.tsx'
import { playgroundText } from './text.ts'
import { type ConversationState, useConversation } from './use-conversation.ts'
import { useModels } from './use-models.ts'

export default function PlaygroundPage() {
  const t = useText(playgroundText)
  const { session } = useSession()
  const who = `${session.operator.login} ${session.workspace_id}`
  // Another operator or workspace in this tab has another conversation.
  return (
    <Page title={t('title')} about={t('about')}>
      <Playground key={who} who={who} />
    </Page>
  )
}

function Playground({ who }: { who: string }) {
  const t = useText(playgroundText)
  const state = useConversation(who)
  const { setup } = state.conversation
  const models = useModels(state)
  const [isOpen, setOpen] = useState(setup.system !== '' || setup.temperature !== '' || setup.maxTokens !== '')
  const [isCurlShown, setCurlShown] = useState(false)
  return (
    <Stack maw={900}>
      {models.isError && <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />}
      <Card>
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            <ModelField setup={setup} models={models.data ?? []} change={state.change} />
            <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {t(isOpen ? 'hideSetup' : 'setup')}
            </Button>
            <Button variant="default" onClick={() => setCurlShown(true)}>
              {t('curl')}
            </Button>
            <Button variant="default" disabled={state.conversation.items.length === 0} onClick={state.clear}>
              {t('clear')}
            </Button>
          </Group>
          {models.data?.length === 0 && <Text c="dimmed">{t('noModels')}</Text>}
          {isOpen && <SetupFields setup={setup} change={state.change} />}
        </Stack>
      </Card>
      <Chat state={state} empty={t('empty')} />
      {isCurlShown && <AsCurl state={state} onClose={() => setCurlShown(false)} />}
    </Stack>
  )
}

function AsCurl({ state, onClose }: { state: ConversationState; onClose(): void }) {
  const t = useText(playgroundText)
  const { setup, items, draft } = state.conversation
  const text = draft.trim() || '…'
  const body = requestOf(setup, [...items, { by: 'user', id: 'next', text }])
  return (
    <Dialog title={t('curlTitle')} onClose={onClose} size="xl">
      <Stack gap="sm">
        <Text>{t('curlWhy')}</Text>
        <CopyText label={t('curlTitle')} text={curlOf(apiBase || location.origin, body)} />
      </Stack>
    </Dialog>
  )
}
