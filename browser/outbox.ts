// Shows the e-mails of the sandbox's outbox as high as they are. Nothing runs in them.
import { fitFrames } from './frames.ts'

fitFrames()
