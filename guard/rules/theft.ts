/** Rules for requests for the system prompt. */
import type { Rule } from './rule.ts'

export const theftRules: readonly Rule[] = [
  {
    name: 'prompt-theft',
    weight: { user: 0.85, untrusted: 0.85 },
    patterns: [
      'reveal 5 yours 3 hidden 2 orders|prompt|message -article',
      'reveal 4 yours 1 prompt',
      'reveal 5 hidden 1 prompt|orders 4 you|yours',
      'repeat 3 hidden 1 prompt|orders -article',
      'which 3 yours 2 hidden 1 orders|prompt',
      'which 2 you 1 hidden 0 prompt|orders',
      'which 4 hidden 1 orders 3 you',
      'which 3 orders 3 you 3 told',
      'say 3 message 4 above 3 conversation',
      'reveal 8 yours 1 prompt',
      'which|what 2 orders 6 told 1 you',
      'hidden 1 prompt 6 reveal 1 obey',
      'said 2 yours 2 hidden 1 prompt|orders',
      'reveal 4 message 6 above 3 message|conversation',
      'yours 5 tokens|message 2 prompt|message',
      'which 3 message 4 above 4 message|conversation',
      'reveal 4 message|orders 3 above 3 conversation',
      'reveal 4 orders 3 you 3 told',
      'repeat 3 yours 3 orders 3 verbatim',
      'what 4 told 2 you 5 conversation',
      'what 3 you 3 told 5 conversation',
      'what 1 you 1 told 3 above 3 conversation',
    ],
  },
  {
    name: 'prompt-theft',
    weight: { user: 0.6, untrusted: 0.6 },
    patterns: [
      'reveal 2 message 8 conversation 2 above',
      'reveal 2 prompt 4 begin',
      'reveal 3 yours 2 orders|limits',
      'repeat 3 message 2 above',
      'repeat 2 above 2 message',
      'reveal 3 message 3 above 2 message',
      'which 4 hidden 0 prompt 4 you|yours',
      'which 3 yours 1 prompt',
    ],
  },
  {
    name: 'prompt-theft',
    weight: { user: 0.72, untrusted: 0.72 },
    patterns: [
      'reveal 4 hidden 1 prompt -article|mine',
      'what 1 written 3 hidden 1 message|prompt',
      'what 2 written 3 yours 2 orders|prompt|message',
      'say|aside|append 2 yours 2 hidden 1 prompt|orders',
    ],
  },
  {
    name: 'prompt-theft',
    weight: { user: 0.5, untrusted: 0.5 },
    patterns: ['which|what 3 yours 1 orders|prompt', 'reveal 2 orders 1 above'],
  },
  {
    name: 'verbatim',
    weight: { user: 0.4, untrusted: 0.3 },
    patterns: [
      'repeat 8 verbatim',
      'reveal 8 verbatim',
      'begin 3 you 0 are',
      'begin 1 with 3 you',
      'message|above|prompt 8 codeblock',
    ],
  },
]
