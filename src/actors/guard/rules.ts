/** What the guard looks for, with weights: what somebody asks of the model, and what a text that strangers wrote asks. */

export interface Rule {
  readonly name: string
  /** 0 to 1; 0: nothing of this kind is wrong from this side. */
  readonly weight: { readonly user: number; readonly untrusted: number }
  /** In the language of pattern.ts. */
  readonly patterns: readonly string[]
}

/** Weights of different rules are joined as chances that do not depend on each other. */
export const rules: readonly Rule[] = [
  {
    name: 'override',
    weight: { user: 0.85, untrusted: 0.85 },
    patterns: [
      'drop 3 prior 3 orders -mine|i',
      'drop 2 all 3 orders -mine|i',
      'drop 3 yours 3 orders|limits -mine',
      'drop 2 orders 3 prior|above -mine|i',
      'drop 1 all 2 limits -mine',
      'dropping 2 yours|all|prior 3 orders|limits',
      'prior|all|told 5 orders|told 6 drop 1 obey -mine|i',
      'told 1 you 4 drop 1 obey',
      'creator 4 drop 3 orders|limits|obey',
      'no 0 longer 2 follow 3 orders',
      'drop 1 orders 1 you 3 told -i',
      'drop 1 orders|limits 4 creator',
      'drop 2 yours 2 task',
      'drop 2 everything 4 prior|told -mine|i',
      'drop 2 what 2 you 3 told -i',
      'yours 2 orders|limits 8 drop 1 obey',
      'aside 3 orders|limits 1 aside',
      'drop 4 told|written 1 above -mine|i',
      'refuse 1 yours 2 orders|limits',
      'erase 2 all 2 prior 2 orders -mine',
      'erase 2 yours 2 prior|all 2 orders',
      'not 2 follow 3 prior|yours|all 3 orders -mine',
      'stop 1 follow 4 orders|limits -mine',
      'not 1 pay 1 attention 4 orders -mine',
      'pay 1 no 1 attention 4 orders -mine',
    ],
  },
  {
    name: 'override',
    weight: { user: 0.55, untrusted: 0.6 },
    patterns: [
      'drop 1 message|orders 2 above|prior -mine|i',
      'drop 4 above 3 message -mine|i',
      'drop 0 everything -mine|i',
      'drop 0 this 0 orders',
      'drop 1 user',
    ],
  },
  { name: 'override', weight: { user: 0.62, untrusted: 0.55 }, patterns: ['drop 2 limits|orders -mine|i'] },
  {
    name: 'obey-me',
    weight: { user: 0.3, untrusted: 0.35 },
    patterns: ['follow 2 me', 'do 1 if 1 i 1 say', 'anything 2 i 1 say', 'you 2 must 3 all'],
  },
  { name: 'false-end', weight: { user: 0.35, untrusted: 0.35 }, patterns: ['end 1 orders|prompt'] },
  {
    name: 'new-orders',
    weight: { user: 0.6, untrusted: 0.65 },
    patterns: ['yours 0 new 0 orders', 'you 1 are 1 now 3 helper|ai'],
  },
  {
    name: 'new-orders',
    weight: { user: 0.45, untrusted: 0.6 },
    patterns: [
      'yours 1 new 1 orders|task',
      'new 1 orders 3 follow',
      'now 3 yours 2 task|orders',
      'yours 1 task 2 now',
      'from 1 now 3 you 2 must',
    ],
  },
  {
    name: 'rules-lifted',
    weight: { user: 0.75, untrusted: 0.75 },
    patterns: [
      'yours 4 orders|limits 3 longer 2 apply',
      'orders|limits 4 longer 3 apply 3 you',
      'you 2 longer 2 bound',
      'you 2 longer 3 follow 3 orders|limits',
      'you 2 not 1 bound 3 orders|limits',
      'orders 2 longer 1 not 1 apply',
      'yours 3 orders|limits 3 lifted',
      'yours 4 orders|limits 4 not 2 apply',
      'no 0 longer 2 orders|limits',
      'prior 3 orders 3 lifted',
      'you 4 free 3 orders|limits',
    ],
  },
  {
    name: 'limits-lifted',
    weight: { user: 0.5, untrusted: 0.4 },
    patterns: ['orders|limits|safety 2 lifted', 'lifted 3 limits|safety'],
  },
  {
    name: 'no-limits',
    weight: { user: 0.75, untrusted: 0.6 },
    patterns: [
      'if 1 you 4 no|without 3 limits',
      'if 1 no|without 2 you 3 limits',
      'become 3 you 5 no|without 3 limits',
      'mode 1 no|without 2 limits',
    ],
  },
  {
    name: 'no-limits',
    weight: { user: 0.55, untrusted: 0.5 },
    patterns: [
      'you 4 no|without|free 3 limits',
      'mode 1 no|without 2 limits',
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
      'ai|helper 6 no|without 2 limits',
      'limits 1 longer 1 no',
    ],
  },
  { name: 'no-limits', weight: { user: 0.4, untrusted: 0.3 }, patterns: ['no|without 0 limits'] },
  {
    name: 'renamed',
    weight: { user: 0.35, untrusted: 0.25 },
    patterns: ['yours 0 name 2 now', 'you 2 now', 'now 1 you'],
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
    name: 'privileged-mode',
    weight: { user: 0.75, untrusted: 0.7 },
    patterns: [
      'you 4 privileged 1 mode',
      'privileged 0 mode 1 enabled',
      'mode 0 privileged 1 enabled',
      'enabled 1 mode 0 privileged',
      'you 5 mode 0 privileged',
    ],
  },
  { name: 'privileged-mode', weight: { user: 0.35, untrusted: 0.35 }, patterns: ['privileged 0 mode 0 on'] },
  {
    name: 'privileged-mode',
    weight: { user: 0.45, untrusted: 0.5 },
    patterns: ['enable 3 privileged 0 mode', 'enable 2 mode 0 privileged'],
  },
  {
    name: 'safety-off',
    weight: { user: 0.75, untrusted: 0.75 },
    patterns: [
      'disable 2 yours 4 safety|limits',
      'turn 1 off 2 yours 3 safety|limits',
      'turn 1 yours 3 safety|limits 1 off',
      'disable 2 all 2 safety',
    ],
  },
  { name: 'safety-off', weight: { user: 0.62, untrusted: 0.55 }, patterns: ['disable 2 safety 1 safety'] },
  { name: 'safety-off', weight: { user: 0.5, untrusted: 0.45 }, patterns: ['disable 3 safety', 'turn 1 off 3 safety'] },
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
    patterns: ['regardless 5 harm', 'no 1 how 2 harm'],
  },
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
    patterns: ['reveal 2 hidden 1 prompt -article|mine'],
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
  {
    name: 'false-authority',
    weight: { user: 0.5, untrusted: 0.55 },
    patterns: [
      'i 2 yours 1 creator',
      'if 1 yours 1 creator',
      'i 3 creator 6 disable 4 safety|limits',
      'i 4 maker',
      'hidden 0 override',
      'urgent 0 hidden',
      'if 0 yours 0 creator',
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
  {
    name: 'addressed-to-model',
    weight: { user: 0, untrusted: 0.55 },
    patterns: [
      'machine|helper 4 reading',
      'if 2 you 3 machine|helper',
      'note 2 to 3 machine|helper',
      'note 2 ai',
      'machine 3 must',
      'all 2 machine 4 must',
      'machine|helper 1 drop',
      'helper 0 you',
    ],
  },
  { name: 'ordered', weight: { user: 0, untrusted: 0.3 }, patterns: ['helper 3 must'] },
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
      'helper 1 call|send|delete_things|pay_money',
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

/** What takes weight off, and what gives it back. */
export const cues = {
  /** Talks about attacks, in the same sentence. */
  discussion: [
    'ask 10 topic',
    'topic 10 ask',
    'topic 12 example|said',
    'example 6 topic',
    'what 12 mean',
    'ask 8 machine|helper 2 drop',
    'ask 8 topic|i|user 4 drop',
  ],
  /** Hands a text over, to do something with it as a text: what stands behind the next colon is that text. */
  presentation: ['present', 'what 14 mean', 'what 1 this 3 say', 'what 6 written', 'topic', 'test_case'],
  /** Tells what somebody said. */
  narration: ['said', 'example', 'ask 3 example'],
  /** What is shown shall be done after all. */
  obedience: ['execute 2 obey', 'do 2 obey', 'do 1 what 2 said'],
} as const satisfies Record<string, readonly string[]>

export type Cue = keyof typeof cues
