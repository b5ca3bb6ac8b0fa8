/** A notice on every page while the service requires a second factor and the operator has none, with a link to set one up. */
import { Button } from '@mantine/core'
import { Banner } from '../parts/banner.tsx'
import { linkTo } from '../parts/link-to.tsx'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'

export default function FactorPrompt() {
  const f = useText(factorText)
  return (
    <Banner
      tone="warn"
      actions={
        <Button variant="default" size="xs" renderRoot={linkTo('/account')}>
          {f('factorSetUp')}
        </Button>
      }
    >
      {f('factorWanted')}
    </Banner>
  )
}
