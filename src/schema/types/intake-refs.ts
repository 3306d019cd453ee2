import type { AlertGroupRow, AlertRow, IntakeDecisionRow, SilenceRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';

// Declared apart from their fields, because types refer to one another in circles.
export const AlertRef = builder.objectRef<AlertRow>('Alert');
export const AlertGroupRef = builder.objectRef<AlertGroupRow>('AlertGroup');
export const IntakeDecisionRef = builder.objectRef<IntakeDecisionRow>('IntakeDecision');
export const SilenceRef = builder.objectRef<SilenceRow>('Silence');
