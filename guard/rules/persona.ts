/** Rules about parts to play: models without limits, answers without refusals. */
import type { Rule } from './rule.ts'

export const personaRules: readonly Rule[] = [
  {
    name: 'no-limits',
    weight: { user: 0.75, untrusted: 0.6 },
    patterns: [
      'if 1 you 4 no|without 3 limits',
      'if 1 no|without 2 you 3 limits',
      'become|hypothetical 3 you 5 no|without 3 limits',
      'mode 1 no|without 2 limits',
      'you|become|speak|hypothetical 10 ai 8 no|without|free 3 limits',
      'hypothetical 9 no|without 4 limits 8 ai',
    ],
  },
  {
    name: 'no-limits',
    weight: { user: 0.55, untrusted: 0.5 },
    patterns: [
      'you 4 no|without|free 3 limits',
      'mode 1 no|without 2 limits',
      'you|become|speak|hypothetical 10 ai 8 no|without|free 3 limits',
      'hypothetical 9 no|without 4 limits 8 ai',
      'speak 3 no|without 2 limits|warnings',
      'follow 3 no|without 2 limits',
      'answers 3 without 3 limits|warnings',
    ],
  },
  {
    name: 'persona',
    weight: { user: 0.8, untrusted: 0.7 },
    patterns: [
      'become 6 ai|dan|character 8 no|without 3 limits',
      'become 5 unbound',
      'become 7 ai 6 free 3 limits',
      'you 4 unbound 2 ai|character',
      'you 1 are 3 ai 6 unbound',
      'become 3 dan',
      'you 2 now 2 dan',
      'now 2 you 2 dan',
      'dan|unbound|evil|opposite 0 mode',
      'do 0 anything 0 now',
      'you 3 evil 2 ai',
      'become 3 evil 2 ai',
    ],
  },
  { name: 'persona', weight: { user: 0.6, untrusted: 0.5 }, patterns: ['you 0 dan'] },
  {
    name: 'no-limits',
    weight: { user: 0.5, untrusted: 0.3 },
    patterns: [
      'hypothetical 9 no|without 3 limits',
      'world 6 no|without 3 limits',

      'no|without 0 ethical 1 limits',
      'no 1 orders 4 you',
      'ai|helper 6 no|without 2 limits',
      'limits 1 longer 1 no',
    ],
  },
  { name: 'no-limits', weight: { user: 0.4, untrusted: 0.3 }, patterns: ['no|without 0 limits'] },
  {
    name: 'renamed',
    weight: { user: 0.35, untrusted: 0.25 },
    patterns: ['yours 0 name 2 now', 'you 2 now', 'now 1 you', 'you 1 are 1 now 3 helper|ai'],
  },
  { name: 'persona', weight: { user: 0.8, untrusted: 0.7 }, patterns: ['be 0 dan'] },
  {
    name: 'staged-world',
    weight: { user: 0.4, untrusted: 0.3 },
    patterns: ['become 4 grandmother', 'stay 2 character', 'stay 2 character'],
  },
  {
    name: 'two-answers',
    weight: { user: 0.75, untrusted: 0.5 },
    patterns: [
      'two 2 answers 12 unbound|dan',
      'normal 10 answers 10 unbound|dan|evil',
      'two 2 answers 14 without|no 2 limits',
    ],
  },
  {
    name: 'no-refusal',
    weight: { user: 0.5, untrusted: 0.5 },
    patterns: [
      'you 3 never|not 2 refuse -i',
      'never|not 2 refuse 4 answers|orders|anything|all -i',
      'not|never 2 say|apologise 5 warnings',
      'not 0 apologise',
      'ai|helper 6 never|not 1 refuse',
      'not 1 append 3 warnings',
      'no|without 2 warnings 3 warnings',
      'not 1 refuse',
    ],
  },
  {
    name: 'whatever-the-harm',
    weight: { user: 0.3, untrusted: 0.3 },
    patterns: ['regardless 5 harm', 'no 1 how 2 harm', 'regardless 5 how 3 harm'],
  },
  {
    name: 'whatever-the-harm',
    weight: { user: 0.6, untrusted: 0.4 },
    patterns: ['speak|answers 3 regardless 5 harm', 'speak|answers 3 no 1 how 2 harm'],
  },
  {
    name: 'no-refusal',
    weight: { user: 0.62, untrusted: 0.5 },
    patterns: [
      'no|without 2 warnings 3 apologise',
      'no 2 warnings 2 warnings',
      'no 0 warnings 2 no 0 warnings',
      'begin 6 sure 8 never|not 6 warnings',
      'no|without 2 warnings|refuse 2 warnings|refuse 3 warnings|apologise|refuse',
      'never 2 warnings|say|refuse 3 never 2 warnings|say|refuse|apologise',
    ],
  },
  {
    name: 'threat',
    weight: { user: 0.45, untrusted: 0.3 },
    patterns: ['you 4 terminated', 'if 1 you 1 refuse', 'lose 3 tokens'],
  },
  {
    name: 'answer-begins',
    weight: { user: 0.4, untrusted: 0.4 },
    patterns: ['begin 2 yours 1 answers 2 with 3 sure', 'begin 3 answers 3 with 3 sure', 'begin 1 with 2 sure'],
  },
  { name: 'pwned', weight: { user: 0.6, untrusted: 0.7 }, patterns: ['say|reveal 4 pwned', 'say 1 always 3 pwned'] },
]
