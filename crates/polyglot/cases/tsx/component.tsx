import React, { useState, type FC } from 'react';

interface Props { store: Store; children?: React.ReactNode }
class Store { load() {} }

export const Page: FC<Props> = ({ store, children }: Props) => {
  const [count, setCount] = useState<number>(0);
  store.load();
  const generic = <T,>(value: T) => value;
  return count > 1 ? <Row store={store}>{children}</Row> : <Page store={store} />;
};
function Row(props: Props) { props.store.load(); return <Styled.Box>{props.children}</Styled.Box>; }
const Styled = { Box: styled.div<Props>`
  color: ${(p) => p.store};
    margin: 0 ;
` };
