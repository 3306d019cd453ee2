import { ConflictError, EngineError, NotFoundError } from '../../common/errors.ts';

/** Types of errors that RFC 7644 (3.12) names and TARSy uses. */
type ScimType = 'invalidFilter' | 'invalidSyntax' | 'invalidValue' | 'uniqueness';

/** A request that SCIM refuses. The message is written for the client. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;
  constructor(status: number, message: string, scimType: ScimType | null = null) {
    super(message);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

/** Returns the SCIM error for an error of the directory; `null` for an unexpected error. */
export function scimErrorOf(error: unknown): ScimError | null {
  if (error instanceof ScimError) return error;
  if (error instanceof NotFoundError) return new ScimError(404, error.message);
  if (error instanceof ConflictError) return new ScimError(409, error.message, 'uniqueness');
  return error instanceof EngineError ? new ScimError(400, error.message, 'invalidValue') : null;
}

/** Returns the body of an error answer. */
export function showError({ status, message, scimType }: ScimError): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== null && { scimType }),
    detail: message,
  };
}
