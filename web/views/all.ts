// Every view, in the order of the rail.
import {View} from "../view";

import {ablate} from "./ablate";
import {attention} from "./attention";
import {forecast} from "./forecast";
import {lessons} from "./lessons";
import {norms} from "./norms";
import {pipeline} from "./pipeline";
import {positions} from "./positions";
import {start} from "./start";
import {tokens} from "./tokens";
import {training} from "./training";
import {tryView} from "./try";

export const views: View[] = [
  start,
  tryView,
  forecast,
  pipeline,
  tokens,
  positions,
  attention,
  norms,
  ablate,
  training,
  lessons,
];
