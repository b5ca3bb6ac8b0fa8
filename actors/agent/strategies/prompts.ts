/** Prompts of the strategies, where the settings give none of their own. */

export const defaultPrompts = {
  judge:
    'You judge answers to the conversation above. Several candidates follow, each under its number. Choose the one that is ' +
    'most correct, complete and useful to the user. Reply with its number and nothing else.',
  reading:
    'Several answers to the user are written side by side, and one will be chosen. Until then tools that change something cannot ' +
    'be called: {tools}. Say what has to be done with them and with which values, and do not claim that it is done.',
  act:
    'This answer was chosen. Tools that change something can be called now: do what the answer says has to be done, and then give ' +
    'the user the answer with what came of it. Where nothing has to be done, give the answer as it is.',
  debate:
    'You are one of several experts who answer the user independently and then read each other. Give your best answer. ' +
    'Where you are shown the answers of others, weigh them on their merits, correct what was wrong in yours, and keep what holds.',
  debateJudge:
    'You have read a debate of several experts about the conversation above. Write the final answer to the user: correct, ' +
    'complete, in the language and tone that the conversation asks for. Do not mention the debate or the experts.',
  plan:
    'Divide the work that the user asks for into steps that can be done one after the other, each a short instruction. ' +
    'Reply with a JSON array of strings and nothing else. Use as few steps as the work needs, and at most {steps}.',
  planStep:
    'You work on one step of a plan for the request above. Do this step and no other, and report its result in full.\n\nStep {number} of {count}: {step}',
  planAnswer:
    'The steps of a plan for the request above were carried out. Their results follow. Write the final answer to the user ' +
    'from them. Do not mention the plan unless the user asked for it.',
  reflect:
    'Read your draft of an answer to the conversation above as its strictest critic. Look for errors, gaps, claims without ' +
    'support, and parts of the request that are not answered. List what has to change, in short sentences. Where nothing has to, reply with OK alone.',
  revise:
    'Write the final answer to the user: your draft, changed as the criticism asks where it is right. Do not mention the draft or the criticism.',
} as const
