import { ValidationError } from '../../common/errors.ts';
import { requireStorable } from '../../common/storable.ts';
import type { Masking } from '../../masking/masking.ts';

/** A text of a user, and its maximum length (characters). */
interface UserText {
  text: string;
  field: string;
  /** Name of the text in error messages, such as "question". */
  name: string;
  maxLength: number;
}

/** Refuses a text that is too long or cannot be stored. @throws ValidationError */
export function checkUserText({ text, field, name, maxLength }: UserText): void {
  if (text.length > maxLength) {
    const message = `The ${name} has ${text.length} characters, at most ${maxLength} are allowed.`;
    throw new ValidationError(message, field);
  }
  requireStorable(text, field);
}

/** Checks a user's text and returns it with secrets masked. Refuses it if masking fails, because the user can reword it. */
export function maskUserText(masking: Pick<Masking, 'maskChat'>, text: UserText): string {
  checkUserText(text);
  try {
    return masking.maskChat(text.text);
  } catch {
    const message = `Secrets in the ${text.name} could not be masked. Reword it.`;
    throw new ValidationError(message, text.field);
  }
}
