/** A conflict with a value that another operator has saved: both values, and the choice between them. */

import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { Banner } from '../../parts/banner.tsx'
import { useText } from '../../text/text.ts'
import type { Change, Setting } from './draft.ts'
import { settingsText } from './text.ts'
import { changedText, presentText } from './values.ts'

interface ConflictProps {
  setting: Setting
  change: Change
  onMine(): void
  onTheirs(): void
}

export function Conflict({ setting, change, onMine, onTheirs }: ConflictProps) {
  const t = useText(settingsText)
  return (
    <Banner tone="warn" title={t('conflictTitle')}>
      <Stack gap={4}>
        <Value title={t('theirs')} text={presentText(setting, t)} />
        <Value title={t('mine')} text={changedText(setting, change, t)} />
        <Group gap="sm" mt={4}>
          <Button size="xs" variant="default" onClick={onTheirs}>
            {t('takeTheirs')}
          </Button>
          <Button size="xs" variant="default" onClick={onMine}>
            {t('keepMine')}
          </Button>
        </Group>
      </Stack>
    </Banner>
  )
}

function Value({ title, text }: { title: string; text: string }) {
  return (
    <Text style={{ overflowWrap: 'anywhere' }}>
      {title}: <Code>{text}</Code>
    </Text>
  )
}
