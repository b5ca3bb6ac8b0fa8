/** The button that asks the browser for a passkey, with the failure above it. */
import { Button, Stack } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useSubmit } from '../parts/submit.ts'
import { FactorError } from './factor-error.tsx'

interface PasskeyButtonProps {
  /** Gets the passkey from the browser and sends it to the service. */
  onUse(): Promise<void>
  /** Shown as the main action. */
  isMain?: boolean
  children: string
}

export function PasskeyButton({ onUse, isMain = false, children }: PasskeyButtonProps) {
  const { error, isBusy, submit } = useSubmit(onUse)
  return (
    <Stack>
      <FactorError error={error} />
      <Button
        variant={isMain ? 'filled' : 'default'}
        leftSection={<KeyRound size={16} aria-hidden />}
        loading={isBusy}
        onClick={() => submit()}
      >
        {children}
      </Button>
    </Stack>
  )
}
