/** Playground: a conversation with any agent or model, or with two beside each other, with the steps of their turns. */
import { Button, Card, Stack, Text } from '@mantine/core'
import { X } from 'lucide-react'
import { useState } from 'react'
import { apiBase } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Chat } from './chat.tsx'
import { curlOf, itemsOf, requestOf, setupOf, sidesOf } from './conversation.ts'
import styles from './playground.module.css'
import { ModelField, SetupFields } from './setup-fields.tsx'
import { playgroundText } from './text.ts'
import { type ConversationState, useConversation } from './use-conversation.ts'
import { useModels } from './use-models.ts'

export default function PlaygroundPage() {
  const { session } = useSession()
  const who = `${session.operator.login} ${session.workspace_id}`
  // Another operator or workspace in this tab has another conversation.
  return <Playground key={who} who={who} />
}

function Playground({ who }: { who: string }) {
  const t = useText(playgroundText)
  const state = useConversation(who)
  const { conversation } = state
  const { setup, second } = conversation
  const models = useModels(state)
  const [isOpen, setOpen] = useState(setup.system !== '' || setup.temperature !== '' || setup.maxTokens !== '')
  const [isCurlShown, setCurlShown] = useState(false)
  const another = () => models.data?.find(({ id }) => id !== setup.model)?.id ?? ''
  const isEmpty = conversation.items.length === 0 && (second?.items.length ?? 0) === 0
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <>
          {!second && (
            <Button variant="default" disabled={state.isRunning} onClick={() => state.compare(another())}>
              {t('compare')}
            </Button>
          )}
          <Button variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t(isOpen ? 'hideSetup' : 'setup')}
          </Button>
          <Button variant="default" onClick={() => setCurlShown(true)}>
            {t('curl')}
          </Button>
          <Button variant="default" disabled={isEmpty} onClick={state.clear}>
            {t('clear')}
          </Button>
        </>
      }
    >
      {models.isError && <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />}
      {models.data?.length === 0 && <Text c="dimmed">{t('noModels')}</Text>}
      {isOpen && (
        <Card className={styles['setup'] ?? ''}>
          <SetupFields setup={setup} change={state.change} />
        </Card>
      )}
      <Chat
        state={state}
        empty={t('empty')}
        headOf={(side) => (
          <>
            <ModelField
              setup={setupOf(conversation, side)}
              models={models.data ?? []}
              change={side === 'first' ? state.change : ({ model }) => state.compare(model)}
              hiddenLabel={t(side === 'first' ? 'model' : 'secondModel')}
            />
            {side === 'second' && (
              <button
                type="button"
                className={styles['close']}
                aria-label={t('endCompare')}
                onClick={() => state.compare(null)}
              >
                <X size={16} aria-hidden />
              </button>
            )}
          </>
        )}
      />
      {isCurlShown && <AsCurl state={state} onClose={() => setCurlShown(false)} />}
    </Page>
  )
}

function AsCurl({ state: { conversation }, onClose }: { state: ConversationState; onClose(): void }) {
  const t = useText(playgroundText)
  const text = conversation.draft.trim() || '…'
  const sides = sidesOf(conversation)
  return (
    <Dialog title={t('curlTitle')} onClose={onClose} size="xl">
      <Stack gap="sm">
        <Text>{t('curlWhy')}</Text>
        {sides.map((side) => {
          const setup = setupOf(conversation, side)
          const body = requestOf(setup, [...itemsOf(conversation, side), { by: 'user', id: 'next', text }])
          const label = sides.length > 1 ? setup.model : t('curlTitle')
          return <CopyText key={side} label={label} text={curlOf(apiBase || location.origin, body)} />
        })}
      </Stack>
    </Dialog>
  )
}
