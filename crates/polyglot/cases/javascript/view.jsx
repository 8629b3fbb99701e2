import { Button } from './button';
import * as ui from './ui';

export function View({ title, items }) {
  return (
    <div className='a' title={"b"} onClick={() => go(title)} {...items}>
      Hello,   {title}!{" "}
      <b>bold</b> and
      more
      {/* nothing */}
      <Button label="x" disabled />
      <ui.Panel.Body>{items.map(item => <li key={item}>{item}</li>)}</ui.Panel.Body>
      <></>
    </div>
  );
}
function go() {}
