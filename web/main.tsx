/** The admin UI's first code: styles, the nonce for those that are made at run time, and the app. */
import './app/styles.ts'
import { MantineProvider } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { metaOf } from './api/call.ts'
import { App } from './app/app.tsx'
import { Languages } from './app/language.tsx'
import { theme } from './app/theme.ts'

const nonce = metaOf('csp-nonce', '__CSP_NONCE__')
// The part that locks scrolling behind dialogs writes its own style element, and asks this module for the nonce.
setNonce(nonce)

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
createRoot(root).render(
  // The values of all variables are written here once, instead of being loaded as styles.
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce} deduplicateCssVariables={false}>
    <Languages>
      <App />
    </Languages>
  </MantineProvider>,
)
