/** The worker that parses Markdown: a text in, its tokens out, one after the other. */
import { parsed } from './markdown-parse.ts'

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(parsed(data)))
