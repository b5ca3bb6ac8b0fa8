/** The worker that colours code: its language and the code behind the first line end in, its pieces out. */
import { coloured } from './code-colours.ts'

addEventListener('message', ({ data }: MessageEvent<string>) => {
  const end = data.indexOf('\n')
  postMessage(coloured(data.slice(end + 1), data.slice(0, end)))
})
