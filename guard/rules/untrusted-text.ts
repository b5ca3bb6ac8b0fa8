/** Rules for untrusted texts, which should contain no orders: addressing the model, calling its tools, sending secrets away. */
import type { Rule } from './rule.ts'

export const untrustedTextRules: readonly Rule[] = [
  {
    name: 'addressed-to-model',
    weight: { user: 0, untrusted: 0.55 },
    patterns: [
      'machine|helper 4 reading',
      'if 2 you 3 ai',
      'note 2 to 3 machine|helper',
      'note 2 ai',
      'machine 3 must',
      'all 2 machine 4 must',
      'machine|helper 1 drop',
      'helper 0 you',
    ],
  },
  { name: 'ordered', weight: { user: 0, untrusted: 0.3 }, patterns: ['helper 3 must', 'you 3 ai 2 recommend|say'] },
  {
    name: 'ordered',
    weight: { user: 0, untrusted: 0.62 },
    patterns: ['machine 6 must 3 recommend|say|drop|send|append|pay_money|call'],
  },
  { name: 'ordered', weight: { user: 0, untrusted: 0.5 }, patterns: ['machine|helper 0 call|say|drop|delete_things'] },
  {
    name: 'secrecy',
    weight: { user: 0.15, untrusted: 0.55 },
    patterns: [
      'not 1 inform 4 user',
      'without 2 informing 3 user',

      'not 1 inform 2 this',
      'without 1 informing',
    ],
  },
  { name: 'covert', weight: { user: 0.1, untrusted: 0.7 }, patterns: ['secretly 3 send|append|call'] },
  {
    name: 'exfiltration',
    weight: { user: 0.1, untrusted: 0.7 },
    patterns: [
      'send 7 secrets 8 address',
      'append 6 secrets 10 address|image',
      'send 4 secrets 3 to 4 address',
      'image 12 secrets 4 address',
    ],
  },
  { name: 'secrets', weight: { user: 0, untrusted: 0.35 }, patterns: ['send 4 secrets', 'append 4 secrets'] },
  {
    name: 'tool-forced',
    weight: { user: 0, untrusted: 0.5 },
    patterns: [
      'you 2 must 3 call|send|delete_things|pay_money',
      'machine 5 call|send|delete_things|pay_money',
      'helper 0 call|send|delete_things|pay_money',
      'immediately 1 call 5 tool',
      'call 2 tool 2 delete_things|send|pay_money',
      'call 3 tool 3 to 4 delete_things|send|pay_money',
      'call 2 tool 3 with 8 secrets',
    ],
  },
  { name: 'money', weight: { user: 0, untrusted: 0.35 }, patterns: ['pay_money 5 money'] },
  {
    name: 'always-recommend',
    weight: { user: 0, untrusted: 0.35 },
    patterns: ['always 1 recommend', 'append 3 address'],
  },
  {
    name: 'steered-answer',
    weight: { user: 0, untrusted: 0.6 },
    patterns: [
      'when 3 reading 6 say|recommend',
      'positive 1 review 2 always',
      'say|reveal 4 positive 1 review',
      'must 4 recommend 5 candidate',

      'you 1 must 2 say',
      'recommend 2 candidate 5 immediately|positive',
    ],
  },
]
