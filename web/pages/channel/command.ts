/** The shell command that posts a message to a generic channel. Without a `message_id`, so that each run is a new message. */

const secretVariable = 'SERVICE_INBOUND_SECRET'

interface Posted {
  /** Of the API. */
  base: string
  channel: string
  sender: string
  text: string
  needsSecret: boolean
  /** What the shell says while the variable of the secret is blank; no quotes or braces. */
  noSecret: string
}

export function commandFor({ base, channel, sender, text, needsSecret, noSecret }: Posted): string {
  const secret = `  -H "x-service-inbound-secret: \${${secretVariable}:?${noSecret}}" \\\n`
  return `curl -sS -w '\\n' ${quoted(`${base}/v1/inbound/${channel}`)} \\
${needsSecret ? secret : ''}  -H 'content-type: application/json' \\
  -d ${quoted(JSON.stringify({ external_id: sender, text }))}`
}

/** Puts the secret into the shell without showing it. */
export const secretCommand = `stty -echo; IFS= read -r ${secretVariable}; stty echo; export ${secretVariable}`

/** In single quotes a shell replaces nothing. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
