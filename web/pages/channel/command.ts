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
  // By standard input: whoever lists the processes of the machine sees their arguments.
  const input = ` <<END\nx-service-inbound-secret: \${${secretVariable}:?${noSecret}}\nEND`
  return `curl -sS -w '\\n' ${quoted(`${base}/v1/inbound/${channel}`)} \\
${needsSecret ? '  -H @- \\\n' : ''}  -H 'content-type: application/json' \\
  -d ${quoted(JSON.stringify({ external_id: sender, text }))}${needsSecret ? input : ''}`
}

/** Puts the secret into the shell without showing it. */
export const secretCommand = `stty -echo; IFS= read -r ${secretVariable}; stty echo; export ${secretVariable}`

/** In single quotes a shell replaces nothing. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
