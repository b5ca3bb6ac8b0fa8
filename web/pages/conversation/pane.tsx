/** A conversation beside the list of conversations. */
import { Maximize2 } from 'lucide-react'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { PageLink } from '../../parts/link-to.tsx'
import { useText } from '../../text/text.ts'
import styles from './conversation.module.css'
import { conversationText } from './text.ts'
import { ConversationView } from './view.tsx'

export default function ConversationPane({ id, onClose }: { id: string; onClose(): void }) {
  const t = useText(conversationText)
  return (
    <ConversationView
      id={id}
      frame={({ title, actions, body }) => (
        <DetailPane
          title={title}
          label={t('conversation')}
          onClose={onClose}
          actions={
            <>
              <PageLink
                path={`/conversations/${id}`}
                className={styles['whole'] ?? ''}
                aria-label={t('openWhole')}
                title={t('openWhole')}
              >
                <Maximize2 size={16} aria-hidden />
              </PageLink>
              {actions}
            </>
          }
        >
          {body}
        </DetailPane>
      )}
    />
  )
}
