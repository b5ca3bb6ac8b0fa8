/** The frames that a web chat may send over its WebSocket. */
import { z } from 'zod'
import { TurnId } from '../../store/id.ts'

/** Repeated in the answer to this frame. */
const FrameId = z.string().max(64).optional()

export const Frame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('send'), id: FrameId, text: z.string().trim().min(1).max(32_000) }),
  z.strictObject({ type: z.literal('cancel'), id: FrameId, turn_id: TurnId.optional() }),
  z.strictObject({ type: z.literal('regenerate'), id: FrameId }),
  z.strictObject({ type: z.literal('typing') }),
  z.strictObject({ type: z.literal('ping'), id: FrameId }),
])
export type Frame = z.infer<typeof Frame>
